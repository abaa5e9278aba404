package wallfinder.sampling;

import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.Reader;
import wallfinder.observation.WaitFigure;

/// The figures of [WaitFigure] for the threads of a service. All are `NaN` without a thread.
///
/// Read it after the [ProcessReader] with the service's processes. It looks for new threads once a
/// second, or up to every 5 seconds if that would take more than 0.025 % of a CPU.
final class WaitsReader implements Reader, Paced {
    private static final List<WaitFigure> FIGURES = List.of(WaitFigure.values());

    private final ProcessReader processes;
    private final ThreadWaits waits = new ThreadWaits();
    private final Pace pace = Pace.cheaply(System::nanoTime);
    private final List<Counter> counters;

    WaitsReader(ProcessReader processes) {
        this.processes = processes;
        counters =
                FIGURES.stream()
                        .map(figure ->
                                figure.of(processes.service())
                                        .at(processes.end(), "/proc/PID/task/TID/syscall"))
                        .toList();
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void readInFullNext() {
        pace.force();
    }

    @Override
    public void read(double[] values, int from) {
        pace.run(() -> waits.scan(processes.members(), processes::ran));
        waits.sample();
        for (int i = 0; i < FIGURES.size(); i++) {
            values[from + i] = waits.count(FIGURES.get(i));
        }
    }

    /// How many threads waited so at the last reading; `NaN` without a thread.
    double count(WaitFigure figure) {
        return waits.count(figure);
    }

    /// See [UnloadedLook].
    void beginUnloaded() {
        waits.beginUnloaded(processes.members());
    }

    /// A thread that still sleeps where it slept at [#beginUnloaded] waits for work there.
    void endUnloaded() {
        waits.endUnloaded(processes.members());
    }

    @Override
    public void close() {
        waits.close();
    }
}
