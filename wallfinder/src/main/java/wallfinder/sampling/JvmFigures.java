package wallfinder.sampling;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What is known of one JVM from outside.
final class JvmFigures implements AutoCloseable {
    /// A JVM has at most three: young, full, and the pauses of a concurrent one.
    private static final int COLLECTORS = 3;

    private static final int FULL = 1;

    /// A JVM makes the file at its start, or never: after so many looks it is not looked for.
    private static final int OPENED_MAX = 10_000;

    private static final String COLLECTOR = "sun.gc.collector.";
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

    /// Looks for what was not there before.
    void scan() {
        threads.scan();
        if (threads.isJvm() && perf == null && opened < OPENED_MAX) {
            opened++;
            perf = PerfData.open(pid);
        }
    }

    /// Begins to ask it, if that is worth it and has not begun.
    void ask(BooleanSupplier bearable) {
        if (watch == null && threads.hasVirtualThreads() && threads.isJvm()) {
            watch = new CarrierWatch(pid, bearable);
        }
    }

    /// What was seen of its carriers, nothing if it was not asked.
    CarrierWatch.Counts carriers() {
        CarrierWatch asked = watch;
        return asked == null ? CarrierWatch.Counts.NOTHING : asked.seen();
    }

    void read() {
        threads.read();
        PerfData data = perf;
        answers = data != null && data.read();
        if (data != null && answers) {
            noteLongest(data);
        }
    }

    /// The last pause, if it ended since this was made. It is counted when it begins, and while it
    /// lasts its end is still that of the one before. Of several between two readings the others
    /// are not seen.
    private void noteLongest(PerfData data) {
        for (int i = 0; i < COLLECTORS; i++) {
            double entry = data.number(COLLECTOR + i + ".lastEntryTime");
            double exit = data.number(COLLECTOR + i + ".lastExitTime");
            if (exit > exits[i] && exit >= entry && entry > 0) {
                longestSeconds = Math.max(longestSeconds, seconds(data, exit - entry));
            }
            exits[i] = exit;
        }
    }

    private static double seconds(PerfData data, double ticks) {
        return ticks / data.number("sun.os.hrt.frequency");
    }

    private double number(String name) {
        PerfData data = perf;
        return data == null || !answers ? Double.NaN : data.number(name);
    }

    /// The sum over all collectors there are.
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
        return overCollectors("time") / ticksPerSecond();
    }

    double pauses() {
        return overCollectors("invocations");
    }

    double fullPauseSeconds() {
        return number(COLLECTOR + FULL + ".time") / ticksPerSecond();
    }

    double fullCollections() {
        return number(COLLECTOR + FULL + ".invocations");
    }

    /// Zero as long as none was seen.
    double longestPauseSeconds() {
        return answers ? longestSeconds : Double.NaN;
    }

    /// What the heap may grow to, in bytes. Where the generations are not fixed, each may become
    /// the whole heap.
    double heapMaxBytes() {
        double young = number(YOUNG + "maxCapacity");
        double old = number(OLD + "maxCapacity");
        return Double.isNaN(young) || young == old ? old : young + old;
    }

    /// What the heap has of the host's memory at the most: as large as it is now.
    double heapCommittedBytes() {
        return number(YOUNG + "capacity") + number(OLD + "capacity");
    }

    /// How many classes are loaded, those from archives included.
    double classes() {
        return number("java.cls.loadedClasses")
                + number("java.cls.sharedLoadedClasses")
                - number("java.cls.unloadedClasses")
                - number("java.cls.sharedUnloadedClasses");
    }

    /// What all of the heap held after the last collection.
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
