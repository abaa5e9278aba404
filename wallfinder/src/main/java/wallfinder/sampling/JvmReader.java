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
/// do, and another one reads the logs of ZGC and Shenandoah.
final class JvmReader implements Reader, Paced {
    private static final String THREAD_TIMES = "/proc/PID/task/TID/schedstat";
    private static final String PERF_DATA = "/tmp/hsperfdata_USER/PID";
    private static final String PAUSES = PERF_DATA + "; for Shenandoah its log (jcmd PID VM.log)";
    private static final String LOG = "log of ZGC, by attach (jcmd PID VM.log)";
    private static final String ATTACH = "thread dump by attach (jstack PID)";

    /// A figure that grows.
    ///
    /// @param ofOne whether it is that of one JVM; otherwise it is the sum over all of them
    private record Growing(
            JvmFigure figure, String source, boolean ofOne, ToDoubleFunction<JvmFigures> value) {}

    /// In the order of the counters.
    private static final List<Growing> GROWING =
            List.of(
                    sum(JvmFigure.COLLECTOR_CPU, jvm -> jvm.threads().collectorSeconds()),
                    new Growing(
                            JvmFigure.STOPPING_CPU,
                            THREAD_TIMES,
                            true,
                            jvm -> jvm.threads().stoppingSeconds()),
                    sum(JvmFigure.COMPILER_CPU, jvm -> jvm.threads().compilerSeconds()),
                    sum(JvmFigure.OWN_WAITING, jvm -> jvm.threads().waitingSeconds()),
                    pause(JvmFigure.PAUSE_SECONDS, JvmFigures::pauseSeconds),
                    pause(JvmFigure.PAUSES, JvmFigures::pauses),
                    pause(JvmFigure.FULL_PAUSE_SECONDS, JvmFigures::fullPauseSeconds),
                    pause(JvmFigure.FULL_COLLECTIONS, JvmFigures::fullCollections),
                    stall(JvmFigure.ALLOCATION_STALLS, CollectorLog.Stalls::count),
                    stall(JvmFigure.STALLED_THREAD_SECONDS, CollectorLog.Stalls::threadSeconds),
                    stall(JvmFigure.STALLED_SECONDS, CollectorLog.Stalls::seconds),
                    carriers(JvmFigure.CARRIER_LOOKS, jvm -> jvm.carriers().looks()),
                    carriers(JvmFigure.CARRIERS, jvm -> jvm.carriers().carriers()),
                    carriers(JvmFigure.CARRIERS_HELD, jvm -> jvm.carriers().held()));

    /// The levels that follow them.
    private static final int LEVELS = 6;

    private static final int COUNTERS = GROWING.size() + LEVELS;

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
        List<Counter> counters = new ArrayList<>();
        GROWING.forEach(one -> counters.add(one.figure.of(service).at(end, one.source)));
        counters.addAll(
                List.of(
                        JvmFigure.LONGEST_PAUSE.of(service).at(end, PAUSES),
                        JvmFigure.HEAP_MAX.of(service).at(end, PERF_DATA),
                        JvmFigure.HEAP_USED.of(service).at(end, PERF_DATA),
                        JvmFigure.HEAP_COMMITTED.of(service).at(end, PERF_DATA),
                        JvmFigure.VIRTUAL_THREADS.of(service).at(end, "/proc/PID/task/TID/comm"),
                        JvmFigure.LONGEST_STALL.of(service).at(end, LOG)));
        return counters;
    }

    private static Growing sum(JvmFigure figure, ToDoubleFunction<JvmFigures> value) {
        return new Growing(figure, THREAD_TIMES, false, value);
    }

    private static Growing pause(JvmFigure figure, ToDoubleFunction<JvmFigures> value) {
        return new Growing(figure, PAUSES, true, value);
    }

    private static Growing stall(JvmFigure figure, ToDoubleFunction<CollectorLog.Stalls> value) {
        return new Growing(figure, LOG, true, jvm -> jvm.stalled(value));
    }

    private static Growing carriers(JvmFigure figure, ToDoubleFunction<JvmFigures> value) {
        return new Growing(figure, ATTACH, false, value);
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
            values[from + i] = GROWING.get(i).ofOne ? most(jvms, i) : sum(jvms, i);
        }
        JvmFigures first = busiest(jvms);
        values[from + growing] = first.longestPauseSeconds();
        values[from + growing + 1] = first.heapMaxBytes();
        values[from + growing + 2] = first.heapUsedBytes();
        values[from + growing + 3] = first.heapCommittedBytes();
        values[from + growing + 4] = first.threads().hasVirtualThreads() ? 1 : 0;
        values[from + growing + 5] = first.stalled(CollectorLog.Stalls::longestSeconds);
    }

    /// The growth in the JVM in which the figure grew most; `NaN` if no JVM has the figure.
    private double most(List<JvmFigures> jvms, int column) {
        boolean known = false;
        for (JvmFigures jvm : jvms) {
            double value = GROWING.get(column).value.applyAsDouble(jvm);
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
            sum += GROWING.get(column).value.applyAsDouble(jvm);
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
            double value = GROWING.get(i).value.applyAsDouble(figures);
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
