package wallfinder.sampling;

import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import wallfinder.linux.HostUnits;

/// The threads that use a CPU while the service gets no requests, and have done so since their
/// start. They spin, so their CPU time under load says nothing about the load.
///
/// Compilers and collectors of a JVM do not count. The second condition excludes a worker that
/// still processes what an earlier load left.
final class SpinningThreads {
    /// Below 1, because the times of the threads and of the host are not read at the same moment.
    private static final double SPINNING_SHARE = 0.9;

    /// Lower, because a thread may have prepared something before it began to spin.
    private static final double SPINNING_SHARE_OF_LIFE = 0.8;

    private static final double NANOS = 1e9;

    private final KernelText text = new KernelText();
    private final Map<Integer, Double> before = new HashMap<>();
    private final Set<Integer> spinning = new HashSet<>();
    private double uptimeBefore;
    private boolean looked;

    void begin(List<ProcessStat> processes) {
        before.clear();
        uptimeBefore = uptimeSeconds();
        for (ProcessStat process : processes) {
            for (String thread : threads(process)) {
                before.put(number(thread), wantedSeconds(thread));
            }
        }
    }

    /// Takes the second reading, without load since the first.
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

    /// The number of spinning threads; `NaN` before the second reading.
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

    /// The time in which a thread was running or ready to run.
    private double wantedSeconds(String thread) {
        return text.loadOnce(thread + "/schedstat")
                ? (text.number() + text.number()) / NANOS
                : Double.NaN;
    }

    private double uptimeSeconds() {
        return text.loadOnce("/proc/uptime") ? Double.parseDouble(text.word()) : Double.NaN;
    }

    /// The start time is field 22 (proc_pid_stat(5)).
    private double ageSeconds(String thread, double uptime) {
        if (!text.loadOnce(thread + "/stat")) {
            return Double.NaN;
        }
        text.skipPastLast(')');
        text.skipWords(19);
        return uptime - text.number() / HostUnits.TICKS_PER_SECOND;
    }
}
