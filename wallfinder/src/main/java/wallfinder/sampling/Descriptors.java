package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The open descriptors of the process that is nearest to its limit, among some processes. Each
/// process has its own limit.
final class Descriptors {
    /// Since Linux 6.2 the size of the folder is the count. Listing 10,000 takes 21 ms.
    private static final boolean SIZE_IS_COUNT = size("/proc/self/fd") > 0;

    private final KernelText text = new KernelText();
    private double count = Double.NaN;
    private double limit = Double.NaN;
    private int nearestPid;

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

    /// Reads the count of the nearest process again if that is cheap.
    void recount() {
        if (SIZE_IS_COUNT && nearestPid > 0) {
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

    /// The open descriptors of one process, `NaN` if they cannot be counted.
    static double count(int pid) {
        String folder = "/proc/" + pid + "/fd";
        if (SIZE_IS_COUNT) {
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
