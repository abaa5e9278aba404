package wallfinder.sampling;

import java.util.function.BooleanSupplier;
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
    private static final String YOUNG = "sun.gc.generation.0.";
    private static final String SPACE = "space.";
    private static final String USED = ".used";
    private static final int YOUNG_SPACES = 3;
    private static final String OLD = "sun.gc.generation.1.";

    private final int pid;
    private final JvmThreads threads;
    private @Nullable PerfData perf;
    private @Nullable CarrierWatch watch;
    private int opened;
    private boolean answers;
    private boolean countsWork;
    private double longestSeconds;
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

    /// Begins to ask the JVM about its carriers, if it has virtual threads.
    void ask(BooleanSupplier affordable) {
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
            noteLongest();
        }
    }

    /// Notes the last pause if it ended since the last reading. A JVM writes the entry time when a
    /// pause begins and keeps the previous exit time until it ends. Of several pauses between two
    /// readings only the last is visible.
    private void noteLongest() {
        for (int i = 0; i < COLLECTORS; i++) {
            double entry = ofPauses(i, "lastEntryTime");
            double exit = ofPauses(i, "lastExitTime");
            if (exit > exits[i] && exit >= entry && entry > 0) {
                longestSeconds = Math.max(longestSeconds, (exit - entry) / ticksPerSecond());
            }
            exits[i] = exit;
        }
    }

    private double number(String name) {
        PerfData data = perf;
        return data == null || !answers ? Double.NaN : data.number(name);
    }

    /// A number about the pauses of a collector. The counters of Shenandoah include the time in
    /// which it works beside the program, so they are unknown.
    private double ofPauses(int collector, String what) {
        return countsWork ? Double.NaN : number(COLLECTOR + collector + "." + what);
    }

    private double overCollectors(String what) {
        double sum = Double.NaN;
        for (int i = 0; i < COLLECTORS; i++) {
            double value = ofPauses(i, what);
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
        return overCollectors("time") / ticksPerSecond();
    }

    double pauses() {
        return overCollectors("invocations");
    }

    double fullPauseSeconds() {
        return ofPauses(FULL, "time") / ticksPerSecond();
    }

    double fullCollections() {
        return ofPauses(FULL, "invocations");
    }

    /// Zero before the first pause.
    double longestPauseSeconds() {
        return answers && !countsWork ? longestSeconds : Double.NaN;
    }

    /// The maximum heap size in bytes. If the generations have no fixed size, each may become the
    /// whole heap.
    double heapMaxBytes() {
        double young = number(YOUNG + "maxCapacity");
        double old = number(OLD + "maxCapacity");
        return Double.isNaN(young) || young == old ? old : young + old;
    }

    /// The current size of the heap, which is the most host memory that it can use now.
    double heapCommittedBytes() {
        return number(YOUNG + "capacity") + number(OLD + "capacity");
    }

    /// The number of loaded classes, including those from archives.
    double classes() {
        return number("java.cls.loadedClasses")
                + number("java.cls.sharedLoadedClasses")
                - number("java.cls.unloadedClasses")
                - number("java.cls.sharedUnloadedClasses");
    }

    /// The bytes in use in the whole heap after the last collection.
    double heapUsedBytes() {
        double sum = number(OLD + SPACE + 0 + USED);
        for (int i = 0; i < YOUNG_SPACES; i++) {
            double young = number(YOUNG + SPACE + i + USED);
            sum += Double.isNaN(young) ? 0 : young;
        }
        return sum;
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
    }
}
