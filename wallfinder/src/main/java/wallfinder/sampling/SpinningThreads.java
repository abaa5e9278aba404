package wallfinder.sampling;

import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import wallfinder.linux.HostUnits;

/// The threads that use a CPU while nothing is asked of the service, and have done so ever since
/// they began: they spin, and that they are busy under load says nothing about the load.
///
/// The compilers and collectors of a JVM are none of them. The second condition tells them from a
/// worker that still works off what an earlier load left.
final class SpinningThreads {
    /// A thread that spins is hardly ever asleep; the kernel's times are read a moment apart.
    private static final double SPINNING_SHARE = 0.9;

    /// A thread that begins to spin may have had something to prepare first.
    private static final double SPINNING_SHARE_OF_LIFE = 0.8;

    private static final double NANOS = 1e9;

    private final KernelText text = new KernelText();
    private final Map<Integer, Double> before = new HashMap<>();
    private final Set<Integer> spinning = new HashSet<>();
    private double uptimeBefore;
    private boolean looked;

    /// The first look.
    void begin(List<ProcessStat> processes) {
        before.clear();
        uptimeBefore = uptimeSeconds();
        for (ProcessStat process : processes) {
            for (String thread : threads(process)) {
                before.put(number(thread), wantedSeconds(thread));
            }
        }
    }

    /// The second look, without load since the first.
    void end(List<ProcessStat> processes) {
        double uptime = uptimeSeconds();
        for (ProcessStat process : processes) {
            for (String thread : threads(process)) {
                Double first = before.get(number(thread));
                double wanted = wantedSeconds(thread);
                boolean now =
                        first != null && wanted - first >= SPINNING_SHARE * (uptime - uptimeBefore);
                boolean always =
                        now && wanted >= SPINNING_SHARE_OF_LIFE * ageSeconds(thread, uptime);
                if (always && JvmThreads.jobOf(ThreadScan.name(text, thread)) == null) {
                    spinning.add(number(thread));
                }
            }
        }
        looked = true;
    }

    boolean spins(int tid) {
        return spinning.contains(tid);
    }

    /// How many there are; `NaN` if nobody looked.
    double count() {
        return looked ? spinning.size() : Double.NaN;
    }

    private static List<String> threads(ProcessStat process) {
        String folder = "/proc/" + process.pid() + "/task";
        return List.of(ProcessTree.names(new File(folder))).stream()
                .limit(ThreadScan.THREADS_MAX)
                .map(name -> folder + "/" + name)
                .toList();
    }

    private static int number(String thread) {
        return ProcessTree.number(thread.substring(thread.lastIndexOf('/') + 1));
    }

    /// Running, or ready to run.
    private double wantedSeconds(String thread) {
        return text.loadOnce(thread + "/schedstat")
                ? (text.number() + text.number()) / NANOS
                : Double.NaN;
    }

    private double uptimeSeconds() {
        if (!text.loadOnce("/proc/uptime")) {
            return Double.NaN;
        }
        return Double.parseDouble(text.word());
    }

    /// The start time is the 22nd figure (proc_pid_stat(5)).
    private double ageSeconds(String thread, double uptime) {
        if (!text.loadOnce(thread + "/stat")) {
            return Double.NaN;
        }
        text.skipPastLast(')');
        text.skipWords(19);
        return uptime - text.number() / HostUnits.TICKS_PER_SECOND;
    }
}
