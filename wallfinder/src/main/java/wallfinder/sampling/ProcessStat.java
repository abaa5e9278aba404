package wallfinder.sampling;

import java.nio.file.Path;
import wallfinder.linux.HostUnits;

/// One process as `/proc/PID/stat` tells it.
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

    /// Reads it anew.
    ///
    /// @return false if the process is gone: what was read before stays
    boolean read() {
        if (!file.read()) {
            return false;
        }
        KernelText text = file.text();
        text.skipPastLast(')'); // the name may hold blanks and brackets
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

    /// Whether it has ended and only waits for its parent to ask.
    boolean dead() {
        return dead;
    }

    /// Of its threads, ended ones included, and of the children whose end it was told.
    double cpuSeconds() {
        return cpuSeconds;
    }

    /// Counted as the CPU time.
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
