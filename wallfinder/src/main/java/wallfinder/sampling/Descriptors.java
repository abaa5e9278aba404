package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The descriptors of that process among some which is nearest to its limit: the limit is one for
/// each process.
final class Descriptors {
    /// Since Linux 6.2 the size of the folder is the count; listing 10,000 takes 21 ms.
    private static final boolean SIZE_TELLS = size("/proc/self/fd") > 0;

    private final KernelText text = new KernelText();
    private double count = Double.NaN;
    private double limit = Double.NaN;
    private int nearestPid;

    /// Reads the count and the limit of all.
    void scan(List<ProcessStat> processes) {
        count = Double.NaN;
        limit = Double.NaN;
        nearestPid = 0;
        double fullest = -1;
        for (ProcessStat process : processes) {
            double open = process.dead() ? Double.NaN : count(process.pid());
            double most = ProcessLimits.descriptors(process.pid(), text);
            double fullness = Double.isNaN(most) ? 0 : open / most;
            if (fullness > fullest) {
                fullest = fullness;
                count = open;
                limit = most;
                nearestPid = process.pid();
            }
        }
    }

    /// Reads the count of the nearest one again where that costs little.
    void recount() {
        if (SIZE_TELLS && nearestPid > 0) {
            count = count(nearestPid);
        }
    }

    double count() {
        return count;
    }

    /// `NaN` if unlimited.
    double limit() {
        return limit;
    }

    /// Those of one process, `NaN` if they may not be counted.
    static double count(int pid) {
        String folder = "/proc/" + pid + "/fd";
        if (SIZE_TELLS) {
            return size(folder);
        }
        String[] names = new File(folder).list();
        return names == null ? Double.NaN : names.length;
    }

    private static double size(String folder) {
        try {
            return Files.size(Path.of(folder));
        } catch (IOException e) {
            return Double.NaN;
        }
    }
}
