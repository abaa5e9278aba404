package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// The figures of [JvmFigure] for a service's JVMs, read from outside. All are `NaN` without a JVM.
///
/// Read it after the [ProcessReader] with the service's processes. It looks for new threads once a
/// second, or up to every 5 seconds if that would take more than 0.025 % of a CPU. CPU times and
/// carriers are sums over all JVMs, including ended ones. Pauses are not summed, because the other
/// JVMs answer while one is stopped: each pause counter is that of the JVM in which it grew most
/// since the first reading. Levels are those of the JVM whose collectors used most CPU time. If
/// there are several JVMs, [EachJvm] has the figures of each.
///
/// If [JvmAsking] allows it, a separate thread asks JVMs with virtual threads what their carriers
/// do, and another one reads the logs of ZGC and Shenandoah.
final class JvmReader implements Reader, Paced {
    private static final int COUNTERS = JvmColumn.ALL.size();

    private final ProcessReader processes;
    private final JvmAsking asking;
    private final Pace pace;
    private final List<Counter> ofService;
    private final EachJvm each;
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
        ofService = counters(processes.end(), processes.service());
        each = new EachJvm(processes.end(), processes.service());
    }

    private static List<Counter> counters(End end, String service) {
        return JvmColumn.ALL.stream()
                .map(one -> one.figure().of(service).at(end, one.source()))
                .toList();
    }

    @Override
    public List<Counter> counters() {
        return with(each.counters());
    }

    @Override
    public List<Counter> found() {
        return with(each.found());
    }

    private List<Counter> with(List<Counter> ofEach) {
        return Stream.concat(ofService.stream(), ofEach.stream()).toList();
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
        each.read(jvms, processes.members(), values, from + COUNTERS);
        for (int i = 0; i < COUNTERS; i++) {
            values[from + i] = jvms.isEmpty() ? Double.NaN : ofService(jvms, i);
        }
    }

    private double ofService(List<JvmFigures> jvms, int column) {
        JvmColumn one = JvmColumn.ALL.get(column);
        return switch (one.several()) {
            case SUM -> sum(jvms, column);
            case MOST -> most(jvms, column);
            case LEVEL -> one.value().applyAsDouble(busiest(jvms));
            case LARGEST -> jvms.stream().mapToDouble(one.value()).max().orElseThrow();
        };
    }

    /// The growth in the JVM in which the figure grew most; `NaN` if no JVM has the figure.
    private double most(List<JvmFigures> jvms, int column) {
        boolean known = false;
        for (JvmFigures jvm : jvms) {
            double value = JvmColumn.ALL.get(column).value().applyAsDouble(jvm);
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
            sum += JvmColumn.ALL.get(column).value().applyAsDouble(jvm);
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
        for (int i = 0; i < COUNTERS; i++) {
            double value = JvmColumn.ALL.get(i).value().applyAsDouble(figures);
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
            case JvmAsking.IfAffordable(Optional<CgroupDirs> cgroup) -> {
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
