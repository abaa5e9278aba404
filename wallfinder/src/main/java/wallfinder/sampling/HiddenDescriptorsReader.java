package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import wallfinder.linux.Processes;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// The descriptors of the process of this host with the fewest free ones, whosever it is. If the
/// process of a service is hidden, this shows at least whether any process may lack descriptors.
///
/// Everybody may read how many descriptors a process has, and its limit, but not what they are.
/// `NaN` if some processes of the host may be invisible: in a process namespace, or with the mount
/// option `hidepid`.
final class HiddenDescriptorsReader implements Reader, Paced {
    /// The process namespace of the host (`PROC_PID_INIT_INO`, include/linux/proc_ns.h).
    private static final String HOSTS_PROCESSES = "pid:[4026531836]";

    private static final int PROCESSES_MAX = 32_768;

    private final List<Counter> counters;
    private final KernelText text = new KernelText();
    private final Pace pace = Pace.cheaply(System::nanoTime);
    private final boolean all;
    private boolean complete;
    private double count;
    private double limit;

    HiddenDescriptorsReader(End end) {
        all = seesAllProcesses();
        counters =
                List.of(
                        EndFigure.FULLEST_DESCRIPTORS.at(end, "/proc/PID/fd (whole host)"),
                        EndFigure.FULLEST_LIMIT.at(end, "/proc/PID/limits (whole host)"));
    }

    private static boolean seesAllProcesses() {
        try {
            String namespace = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
            return namespace.equals(HOSTS_PROCESSES) && Processes.othersListed();
        } catch (IOException e) {
            return false;
        }
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
        boolean read = all && pace.run(this::scan) && complete;
        values[from] = read ? count : Double.NaN;
        values[from + 1] = read ? limit : Double.NaN;
    }

    private void scan() {
        complete = true;
        count = Double.NaN;
        limit = Double.NaN;
        String[] names = ProcessTree.names(new File("/proc"));
        for (int i = 0; i < Math.min(names.length, PROCESSES_MAX); i++) {
            int pid = ProcessTree.number(names[i]);
            if (pid > 0) {
                look(pid);
            }
        }
    }

    private void look(int pid) {
        double open = Descriptors.count(pid);
        double most = ProcessLimits.descriptors(pid, text);
        complete &= !Double.isNaN(open) || !Files.exists(Path.of("/proc/" + pid));
        if (!(most - open >= limit - count) && !Double.isNaN(most - open)) {
            count = open;
            limit = most;
        }
    }
}
