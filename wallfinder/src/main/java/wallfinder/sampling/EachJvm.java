package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;

/// The collector's figures of each JVM of a service that has several, for the first
/// [JvmFigure#JVMS_MAX] JVMs.
final class EachJvm {
    /// After the process and its CPU time.
    private static final List<JvmColumn> COLUMNS =
            JvmColumn.ALL.stream().filter(EachJvm::isOfOne).toList();

    private static final int OF_PROCESS = 2;
    private static final int COLUMNS_EACH = OF_PROCESS + COLUMNS.size();

    private final List<Counter> counters = new ArrayList<>();
    private final List<Integer> pids = new ArrayList<>();

    EachJvm(End end, String service) {
        for (int i = 1; i <= JvmFigure.JVMS_MAX; i++) {
            String subject = JvmFigure.subject(service, i);
            counters.add(JvmFigure.PID.of(subject).at(end, "/proc"));
            counters.add(JvmFigure.PROCESS_CPU.of(subject).at(end, "/proc/PID/stat"));
            COLUMNS.forEach(one -> counters.add(one.figure().of(subject).at(end, one.source())));
        }
    }

    private static boolean isOfOne(JvmColumn column) {
        return switch (column.several()) {
            case MOST, LEVEL -> true;
            case SUM -> column.equals(JvmColumn.COLLECTOR_CPU);
            case LARGEST -> false;
        };
    }

    List<Counter> counters() {
        return counters;
    }

    /// None if there was only one JVM.
    List<Counter> found() {
        return pids.size() < 2 ? List.of() : counters.subList(0, pids.size() * COLUMNS_EACH);
    }

    /// Reads nothing while there is only one JVM: the figures of the service are then its figures.
    void read(List<JvmFigures> jvms, List<ProcessStat> processes, double[] values, int from) {
        Arrays.fill(values, from, from + counters.size(), Double.NaN);
        jvms.forEach(jvm -> place(jvm.pid()));
        for (JvmFigures jvm : jvms) {
            int place = place(jvm.pid());
            if (pids.size() > 1 && place < JvmFigure.JVMS_MAX) {
                int at = from + place * COLUMNS_EACH;
                values[at] = jvm.pid();
                values[at + 1] = cpuSeconds(jvm.pid(), processes.stream());
                for (int i = 0; i < COLUMNS.size(); i++) {
                    values[at + OF_PROCESS + i] = COLUMNS.get(i).value().applyAsDouble(jvm);
                }
            }
        }
    }

    private int place(int pid) {
        int known = pids.indexOf(pid);
        if (known >= 0 || pids.size() == JvmFigure.JVMS_MAX) {
            return known >= 0 ? known : JvmFigure.JVMS_MAX;
        }
        pids.add(pid);
        return pids.size() - 1;
    }

    private static double cpuSeconds(int pid, Stream<ProcessStat> processes) {
        return processes
                .filter(one -> one.pid() == pid)
                .mapToDouble(ProcessStat::cpuSeconds)
                .findFirst()
                .orElse(Double.NaN);
    }
}
