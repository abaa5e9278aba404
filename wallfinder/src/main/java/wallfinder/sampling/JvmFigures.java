package wallfinder.sampling;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// What can be seen of one JVM from outside.
final class JvmFigures implements AutoCloseable {
    /// A JVM has at most three collectors: young, full, and the pauses of a concurrent one.
    private static final int COLLECTORS = 3;

    private static final int FULL = 1;

    /// A JVM creates its file at start, or never. The search ends after this many attempts.
    private static final int OPENED_MAX = 10_000;

    private static final String COLLECTOR = "sun.gc.collector.";
    private static final String SHENANDOAH = "Shenandoah";
    private static final String G1 = "G1 ";
    private static final String YOUNG = "sun.gc.generation.0.";
    private static final String SPACE = "space.";
    private static final String USED = ".used";
    private static final int EDEN = 0;
    private static final int YOUNG_SPACES = 3;

    /// G1 adds some bytes to the size of each generation before Java 18.
    private static final double PADDING_MAX = 64;

    private static final String OLD = "sun.gc.generation.1.";

    /// The beginnings of causes that are no allocation in the heap
    /// (src/hotspot/share/gc/shared/gcCause.cpp): the program, classes, tools.
    private static final List<String> REQUESTS =
            List.of("System.gc()", "Metadata", "Diagnostic", "Heap ", "JvmtiEnv", "WhiteBox");

    private final int pid;
    private final JvmThreads threads;
    private @Nullable PerfData perf;
    private @Nullable CarrierWatch watch;
    private @Nullable CollectorWatch collectorWatch;
    private int opened;
    private boolean answers;

    /// Whether its counters include the time in which the collector works beside the program. The
    /// pauses are then those of its log.
    private boolean countsWork;

    private double longestSeconds;
    private double heapUsedBytes = Double.NaN;
    private double oldUsedBytes = Double.NaN;
    private final double[] exits = {Double.NaN, Double.NaN, Double.NaN};

    JvmFigures(int pid) {
        this.pid = pid;
        threads = new JvmThreads(pid);
    }

    int pid() {
        return pid;
    }

    JvmThreads threads() {
        return threads;
    }

    /// Looks for new threads, and for the file with the JVM's figures.
    void scan() {
        threads.scan();
        if (threads.isJvm() && perf == null && opened < OPENED_MAX) {
            opened++;
            perf = PerfData.open(pid);
        }
    }

    /// Begins to ask the JVM about its carriers if it has virtual threads, and about a collector
    /// that works beside the program.
    void ask(BooleanSupplier affordable) {
        if (collectorWatch == null && threads.collectsConcurrently() && threads.isJvm()) {
            collectorWatch = new CollectorWatch(pid, affordable);
        }
        if (watch == null && threads.hasVirtualThreads() && threads.isJvm()) {
            watch = new CarrierWatch(pid, affordable);
        }
    }

    /// What the JVM said about its carriers; nothing if it was not asked.
    CarrierWatch.Counts carriers() {
        CarrierWatch asked = watch;
        return asked == null ? CarrierWatch.Counts.NOTHING : asked.seen();
    }

    void read() {
        threads.read();
        PerfData data = perf;
        answers = data != null && data.read();
        if (data != null && answers) {
            countsWork = data.text(COLLECTOR + "0.name").startsWith(SHENANDOAH);
            noteCollections(data.text(COLLECTOR + "0.name").startsWith(G1));
        }
    }

    /// Notes the last pause if it ended since the last reading, and what it left in the heap. A JVM
    /// writes the entry time when a pause begins and keeps the previous exit time until it ends. Of
    /// several pauses between two readings only the last is visible.
    private void noteCollections(boolean g1) {
        boolean ended = false;
        for (int i = 0; i < COLLECTORS; i++) {
            double entry = number(COLLECTOR + i + ".lastEntryTime");
            double exit = number(COLLECTOR + i + ".lastExitTime");
            if (exit > exits[i] && exit >= entry && entry > 0) {
                longestSeconds = Math.max(longestSeconds, (exit - entry) / ticksPerSecond());
                ended = true;
            }
            exits[i] = exit;
        }
        if (ended) {
            // G1 leaves no eden. What it has since then are new objects.
            heapUsedBytes = heapBytes(g1 ? EDEN + 1 : EDEN);
            oldUsedBytes = oldBytes();
        }
    }

    private double oldBytes() {
        return number(OLD + SPACE + 0 + USED);
    }

    private double heapBytes(int firstYoungSpace) {
        double sum = oldBytes();
        for (int i = firstYoungSpace; i < YOUNG_SPACES; i++) {
            double young = number(YOUNG + SPACE + i + USED);
            sum += Double.isNaN(young) ? 0 : young;
        }
        return sum;
    }

    private double number(String name) {
        PerfData data = perf;
        return data == null || !answers ? Double.NaN : data.number(name);
    }

    private double overCollectors(String what) {
        double sum = Double.NaN;
        for (int i = 0; i < COLLECTORS; i++) {
            double value = number(COLLECTOR + i + "." + what);
            if (!Double.isNaN(value)) {
                sum = Double.isNaN(sum) ? value : sum + value;
            }
        }
        return sum;
    }

    private double ticksPerSecond() {
        return number("sun.os.hrt.frequency");
    }

    double pauseSeconds() {
        return countsWork
                ? logged(sums -> sums.pauses().seconds())
                : overCollectors("time") / ticksPerSecond();
    }

    double pauses() {
        return countsWork ? logged(sums -> sums.pauses().count()) : overCollectors("invocations");
    }

    double fullPauseSeconds() {
        return countsWork
                ? logged(sums -> sums.fullPauses().seconds())
                : number(COLLECTOR + FULL + ".time") / ticksPerSecond();
    }

    double fullCollections() {
        return countsWork
                ? logged(sums -> sums.fullPauses().count())
                : number(COLLECTOR + FULL + ".invocations");
    }

    /// Zero before the first pause.
    double longestPauseSeconds() {
        if (countsWork) {
            return logged(sums -> sums.pauses().longestSeconds());
        }
        return answers ? longestSeconds : Double.NaN;
    }

    /// What the log of the collector says; `NaN` without a log.
    double logged(ToDoubleFunction<CollectorLog.Sums> figure) {
        CollectorLog.Sums sums = collectorWatch == null ? null : collectorWatch.sums();
        return sums == null ? Double.NaN : figure.applyAsDouble(sums);
    }

    /// The waits for memory; `NaN` for a collector that reports none.
    double stalled(ToDoubleFunction<CollectorLog.Stalls> figure) {
        return countsWork ? Double.NaN : logged(sums -> figure.applyAsDouble(sums.stalls()));
    }

    /// The maximum heap size in bytes. If the generations have no fixed size, each may become the
    /// whole heap.
    double heapMaxBytes() {
        double young = number(YOUNG + "maxCapacity");
        double old = oldMaxBytes();
        return Double.isNaN(young) || Math.abs(young - old) <= PADDING_MAX ? old : young + old;
    }

    /// The current size of the heap, which is the most host memory that it can use now.
    double heapCommittedBytes() {
        return number(YOUNG + "capacity") + number(OLD + "capacity");
    }

    /// The maximum of the old generation in bytes; the whole heap if generations have no fixed
    /// size.
    double oldMaxBytes() {
        return number(OLD + "maxCapacity");
    }

    /// The bytes in use in the old generation after the last collection; `NaN` if none was seen.
    double oldUsedBytes() {
        return answers ? oldUsedBytes : Double.NaN;
    }

    /// 1 if the last collection was not caused by an allocation in the heap.
    double requested() {
        PerfData data = perf;
        if (data == null || !answers) {
            return Double.NaN;
        }
        // Which of the two is that of the last collection depends on the version of the JVM.
        String causes = data.text("sun.gc.cause") + "\n" + data.text("sun.gc.lastCause");
        return causes.lines().anyMatch(JvmFigures::isRequest) ? 1 : 0;
    }

    private static boolean isRequest(String cause) {
        return REQUESTS.stream().anyMatch(cause::startsWith);
    }

    /// The number of loaded classes, including those from archives.
    double classes() {
        return number("java.cls.loadedClasses")
                + number("java.cls.sharedLoadedClasses")
                - number("java.cls.unloadedClasses")
                - number("java.cls.sharedUnloadedClasses");
    }

    /// The bytes in use in the whole heap after the last collection; `NaN` if none was seen. For
    /// ZGC they are those at the last pause, and a cycle frees memory after its pauses.
    double heapUsedBytes() {
        return answers ? heapUsedBytes : Double.NaN;
    }

    @Override
    public void close() {
        threads.close();
        if (perf != null) {
            perf.close();
        }
        perf = null;
        if (watch != null) {
            watch.close();
        }
        watch = null;
        if (collectorWatch != null) {
            collectorWatch.close();
        }
        collectorWatch = null;
    }
}
