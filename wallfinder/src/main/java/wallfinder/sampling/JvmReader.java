package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Reader;

/// The figures of [JvmFigure] for a service's JVMs, read from outside. All are `NaN` without a JVM.
///
/// Read it after the [ProcessReader] with the service's processes. It looks for new threads once a
/// second, or up to every 5 seconds if that would take more than 0.05 % of a CPU. CPU times and
/// carriers are sums over all JVMs, including ended ones. Pauses are not summed, because the other
/// JVMs answer while one is stopped: each pause counter is that of the JVM in which it grew most
/// since the first reading. Levels are those of the JVM whose collectors used most CPU time.
///
/// If [JvmAsking] allows it, a separate thread asks JVMs with virtual threads what their carriers
/// do.
final class JvmReader implements Reader, Paced {
    private static final int COUNTERS = 15;

    private static final String ATTACH = "thread dump by attach (jstack PID)";

    private final ProcessReader processes;
    private final JvmAsking asking;
    private final Pace pace;
    private final List<Counter> counters;
    private final Map<Integer, JvmFigures> watched = new TreeMap<>();
    private volatile boolean descriptorsLeft; // read by the threads of CarrierWatch
    private final double[] departed = new double[COUNTERS];
    private final double[] most = new double[COUNTERS];
    private final Map<Integer, double[]> first = new TreeMap<>();

    JvmReader(ProcessReader processes, JvmAsking asking) {
        this(processes, asking, System::nanoTime);
    }

    JvmReader(ProcessReader processes, JvmAsking asking, LongSupplier clock) {
        this.processes = processes;
        this.asking = asking;
        pace = Pace.cheaply(clock);
        counters = counters(processes.end(), processes.service());
    }

    private static List<Counter> counters(End end, String service) {
        String threads = "/proc/PID/task/TID/schedstat";
        String perf = "/tmp/hsperfdata_USER/PID";
        return List.of(
                JvmFigure.COLLECTOR_CPU.of(service).at(end, threads),
                JvmFigure.STOPPING_CPU.of(service).at(end, threads),
                JvmFigure.COMPILER_CPU.of(service).at(end, threads),
                JvmFigure.PAUSE_SECONDS.of(service).at(end, perf),
                JvmFigure.PAUSES.of(service).at(end, perf),
                JvmFigure.FULL_PAUSE_SECONDS.of(service).at(end, perf),
                JvmFigure.FULL_COLLECTIONS.of(service).at(end, perf),
                JvmFigure.CARRIER_LOOKS.of(service).at(end, ATTACH),
                JvmFigure.CARRIERS.of(service).at(end, ATTACH),
                JvmFigure.CARRIERS_HELD.of(service).at(end, ATTACH),
                JvmFigure.LONGEST_PAUSE.of(service).at(end, perf),
                JvmFigure.HEAP_MAX.of(service).at(end, perf),
                JvmFigure.HEAP_USED.of(service).at(end, perf),
                JvmFigure.HEAP_COMMITTED.of(service).at(end, perf),
                JvmFigure.VIRTUAL_THREADS.of(service).at(end, "/proc/PID/task/TID/comm"));
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
        descriptorsLeft = processes.descriptorsLeft();
        forgetEnded();
        pace.run(this::scan);
        List<JvmFigures> jvms = new ArrayList<>();
        for (JvmFigures figures : watched.values()) {
            figures.read();
            if (figures.threads().isJvm()) {
                jvms.add(figures);
            }
        }
        if (jvms.isEmpty()) {
            Arrays.fill(values, from, from + COUNTERS, Double.NaN);
            return;
        }
        int growing = GROWING.size();
        for (int i = 0; i < growing; i++) {
            values[from + i] = OF_ONE.contains(i) ? most(jvms, i) : sum(jvms, i);
        }
        JvmFigures first = busiest(jvms);
        values[from + growing] = first.longestPauseSeconds();
        values[from + growing + 1] = first.heapMaxBytes();
        values[from + growing + 2] = first.heapUsedBytes();
        values[from + growing + 3] = first.heapCommittedBytes();
        values[from + growing + 4] = first.threads().hasVirtualThreads() ? 1 : 0;
    }

    /// The growing figures, in the order of the counters.
    private static final List<ToDoubleFunction<JvmFigures>> GROWING =
            List.of(
                    jvm -> jvm.threads().collectorSeconds(),
                    jvm -> jvm.threads().stoppingSeconds(),
                    jvm -> jvm.threads().compilerSeconds(),
                    JvmFigures::pauseSeconds,
                    JvmFigures::pauses,
                    JvmFigures::fullPauseSeconds,
                    JvmFigures::fullCollections,
                    jvm -> jvm.carriers().looks(),
                    jvm -> jvm.carriers().carriers(),
                    jvm -> jvm.carriers().held());

    /// The columns that are not summed over the JVMs.
    private static final Set<Integer> OF_ONE = Set.of(1, 2, 3, 4, 5);

    /// The growth in the JVM in which the figure grew most; `NaN` if no JVM has the figure.
    private double most(List<JvmFigures> jvms, int column) {
        boolean known = false;
        for (JvmFigures jvm : jvms) {
            double value = GROWING.get(column).applyAsDouble(jvm);
            if (!Double.isNaN(value)) {
                known = true;
                most[column] = Math.max(most[column], value - first(jvm.pid(), column, value));
            }
        }
        return known ? most[column] : Double.NaN;
    }

    private double first(int pid, int column, double now) {
        double[] values =
                first.computeIfAbsent(
                        pid,
                        p -> {
                            double[] unknown = new double[COUNTERS];
                            Arrays.fill(unknown, Double.NaN);
                            return unknown;
                        });
        if (Double.isNaN(values[column])) {
            values[column] = now;
        }
        return values[column];
    }

    private double sum(List<JvmFigures> jvms, int column) {
        double sum = departed[column];
        for (JvmFigures jvm : jvms) {
            sum += GROWING.get(column).applyAsDouble(jvm);
        }
        return sum;
    }

    private static JvmFigures busiest(List<JvmFigures> jvms) {
        return jvms.stream()
                .max(Comparator.comparingDouble(jvm -> jvm.threads().collectorSeconds()))
                .orElseThrow();
    }

    private void forgetEnded() {
        watched.values().removeIf(figures -> !isAlive(figures.pid()) && depart(figures));
    }

    private boolean isAlive(int pid) {
        return processes.members().stream().anyMatch(m -> m.pid() == pid && !m.dead());
    }

    private boolean depart(JvmFigures figures) {
        for (int i = 0; i < GROWING.size(); i++) {
            double value = GROWING.get(i).applyAsDouble(figures);
            departed[i] += Double.isNaN(value) ? 0 : value;
        }
        first.remove(figures.pid());
        figures.close();
        return true;
    }

    private void scan() {
        for (ProcessStat member : processes.members()) {
            if (!member.dead()) {
                JvmFigures jvm = watched.computeIfAbsent(member.pid(), JvmFigures::new);
                jvm.scan();
                ask(jvm);
            }
        }
    }

    /// Does not ask this JVM itself: a JVM writes its answer while all its threads are stopped,
    /// including the thread that would read the answer.
    private void ask(JvmFigures jvm) {
        if (jvm.pid() == ProcessHandle.current().pid()) {
            return;
        }
        switch (asking) {
            case JvmAsking.OfVirtualThreads(Optional<CgroupDirs> cgroup) -> {
                BooleanSupplier memoryLeft = JvmAsking.memoryLeft(cgroup.orElse(null));
                jvm.ask(() -> descriptorsLeft && memoryLeft.getAsBoolean());
            }
            case JvmAsking.Never() -> {}
        }
    }

    @Override
    public void close() {
        watched.values().forEach(JvmFigures::close);
        watched.clear();
    }
}
