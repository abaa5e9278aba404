package wallfinder.sampling;

import java.nio.file.Path;
import wallfinder.linux.HostUnits;

/// The figures of one process from `/proc/PID/stat`.
final class ProcessStat implements AutoCloseable {
    private final int pid;
    private final SampledFile file;
    private int parent;
    private boolean dead;
    private double cpuSeconds;
    private double majorFaults;
    private double threads;
    private double rssBytes;

    ProcessStat(int pid) {
        this.pid = pid;
        file = new SampledFile(Path.of("/proc/" + pid + "/stat"));
    }

    /// The parent of a process; 0 if the process has ended.
    static int parentOf(int pid) {
        try (ProcessStat stat = new ProcessStat(pid)) {
            return stat.read() ? stat.parent() : 0;
        }
    }

    /// Reads the file again; false if the process has ended. The figures then keep their values.
    boolean read() {
        if (!file.read()) {
            return false;
        }
        KernelText text = file.text();
        text.skipPastLast(')'); // the name may contain blanks and brackets
        String state = text.word();
        dead = state.equals("Z") || state.equals("X");
        parent = (int) text.number();
        text.skipWords(7); // group, session, terminal (2), flags, minor faults (2)
        majorFaults = text.number() + text.number();
        double ticks = text.number() + text.number() + text.number() + text.number();
        cpuSeconds = ticks / HostUnits.TICKS_PER_SECOND;
        text.skipWords(2); // priority, nice
        threads = text.number();
        text.skipWords(3); // a timer, start time, virtual size
        rssBytes = text.number() * HostUnits.PAGE_BYTES;
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
        file.close();
    }
}
