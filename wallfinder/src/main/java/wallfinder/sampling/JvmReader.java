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

/// The JVMs among the processes of a service, from outside, as [JvmFigure] has them. All `NaN`
/// where there is none.
///
/// It has to be read after the [ProcessReader] whose processes it looks at. New threads are looked
/// for once a second, or as seldom as every 5 seconds where that would take more than 0.05 % of a
/// CPU. The collectors' CPU time and what is known of carriers are summed over all JVMs, ended ones
/// included. Pauses are not: while one JVM stands still the others answer, so each of these
/// counters is that of the one JVM where it grew most since it was first looked at. The levels are
/// those of the one that has collected most.
///
/// Where it may, it also asks those that have virtual threads what their carriers do, on a thread
/// of its own; where nothing was asked, that is `NaN`.
final class JvmReader implements Reader, Paced {
    private static final int COUNTERS = 15;

    private static final String ATTACH = "thread dump by attach (jstack PID)";

    private final ProcessReader processes;
    private final JvmAsking asking;
    private final Pace pace;
    private final List<Counter> counters;
    private final Map<Integer, JvmFigures> watched = new TreeMap<>();
    private volatile boolean descriptorsLeft; // asked for on another thread
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
        forgetTheGone();
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

    /// What grows, in the order of the counters.
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

    /// Those of them that say how long and how often one JVM stood still.
    private static final Set<Integer> OF_ONE = Set.of(1, 2, 3, 4, 5);

    /// By how much it grew in the one where it grew most; `NaN` if none tells it.
    private double most(List<JvmFigures> jvms, int column) {
        boolean told = false;
        for (JvmFigures jvm : jvms) {
            double value = GROWING.get(column).applyAsDouble(jvm);
            if (!Double.isNaN(value)) {
                told = true;
                most[column] = Math.max(most[column], value - first(jvm.pid(), column, value));
            }
        }
        return told ? most[column] : Double.NaN;
    }

    /// What a JVM's counter was when it was first looked at.
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

    private void forgetTheGone() {
        watched.values().removeIf(figures -> !lives(figures.pid()) && depart(figures));
    }

    private boolean lives(int pid) {
        for (ProcessStat member : processes.members()) {
            if (member.pid() == pid && !member.dead()) {
                return true;
            }
        }
        return false;
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

    /// Not ourselves: a JVM writes what it is asked for while all its threads stand still, the one
    /// that would read it included.
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
