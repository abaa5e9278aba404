package wallfinder.sampling;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.HostUnits;

/// The figures of one process from `/proc/PID/stat`.
final class ProcessStat implements AutoCloseable {
    private final int pid;
    private final @Nullable SampledFile file;
    private final KernelText text;
    private double startTicks = Double.NaN;
    private int parent;
    private boolean dead;
    private double cpuSeconds;
    private double majorFaults;
    private double threads;
    private double rssBytes;

    /// Keeps the file open.
    ProcessStat(int pid) {
        this.pid = pid;
        file = new SampledFile(Path.of(path(pid)));
        text = file.text();
    }

    /// Opens the file at each reading, for one of very many processes.
    ///
    /// @param shared used by one reading at a time
    ProcessStat(int pid, KernelText shared) {
        this.pid = pid;
        file = null;
        text = shared;
    }

    private static String path(int pid) {
        return "/proc/" + pid + "/stat";
    }

    /// The parent of a process; 0 if the process has ended.
    static int parentOf(int pid) {
        try (ProcessStat stat = new ProcessStat(pid)) {
            return stat.read() ? stat.parent() : 0;
        }
    }

    /// Where the stack of a process's first thread begins, which is the same for all processes that
    /// were forked from one another; 0 if this user may not know it, or if the process has ended.
    static long stackOf(int pid, KernelText text) {
        if (!text.loadOnce(path(pid))) {
            return 0;
        }
        text.skipPastLast(')');
        text.skipWords(25);
        double address = text.number();
        return Double.isNaN(address) ? 0 : (long) address;
    }

    /// Reads the file again; false if the process has ended. The figures then keep their values.
    boolean read() {
        if (file == null ? !text.loadOnce(path(pid)) : !file.read()) {
            return false;
        }
        text.skipPastLast(')'); // the name may contain blanks and brackets
        String state = text.word();
        int ancestor = (int) text.number();
        text.skipWords(7); // group, session, terminal (2), flags, minor faults (2)
        double faults = text.number() + text.number();
        double ticks = text.number() + text.number() + text.number() + text.number();
        text.skipWords(2); // priority, nice
        double count = text.number();
        text.skipWord(); // a timer
        double start = text.number();
        if (start != startTicks && !Double.isNaN(startTicks)) {
            return false; // another process has its number now
        }
        startTicks = start;
        text.skipWord(); // virtual size
        rssBytes = text.number() * HostUnits.PAGE_BYTES;
        dead = state.equals("Z") || state.equals("X");
        parent = ancestor;
        majorFaults = faults;
        cpuSeconds = ticks / HostUnits.TICKS_PER_SECOND;
        threads = count;
        return true;
    }

    int pid() {
        return pid;
    }

    int parent() {
        return parent;
    }

    /// Whether the process has ended and waits for its parent to reap it.
    boolean dead() {
        return dead;
    }

    /// CPU time of its threads, including ended ones, and of the children that it has reaped.
    double cpuSeconds() {
        return cpuSeconds;
    }

    /// Major faults of the same threads and children as [#cpuSeconds].
    double majorFaults() {
        return majorFaults;
    }

    double threads() {
        return threads;
    }

    double rssBytes() {
        return rssBytes;
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
