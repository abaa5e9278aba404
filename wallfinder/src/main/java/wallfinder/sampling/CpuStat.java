package wallfinder.sampling;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;

/// How often the CPU quota of one cgroup stopped it, from its file `cpu.stat`.
final class CpuStat implements AutoCloseable {
    /// How many values a reading has.
    static final int VALUES = 3;

    private static final byte[] PERIODS = KernelText.key("nr_periods");
    private static final byte[] THROTTLED = KernelText.key("nr_throttled");
    private static final byte[] THROTTLED_TIME_1 = KernelText.key("throttled_time");
    private static final byte[] THROTTLED_TIME_2 = KernelText.key("throttled_usec");
    static final String FILE = "cpu.stat";

    private final boolean version1;
    private final SampledFile file;

    /// @param folder of the group; without one all values are `NaN`
    CpuStat(@Nullable Path folder, boolean version1) {
        this.version1 = version1;
        file = SampledFile.in(folder, FILE);
    }

    /// @param source which file it is
    static Stream<Counter> counters(End end, String subject, String source) {
        return Stream.of(
                        CgroupFigure.PERIODS,
                        CgroupFigure.THROTTLED_PERIODS,
                        CgroupFigure.THROTTLED_SECONDS)
                .map(figure -> figure.of(subject).at(end, source));
    }

    /// Whether the kernel counts the stops of this group. In version 2 it does so if the group has
    /// the `cpu` controller.
    static boolean isCounted(Path folder) {
        try (SampledFile stat = SampledFile.in(folder, FILE)) {
            return !Double.isNaN(stat.valueOf(THROTTLED));
        }
    }

    void read(double[] values, int from) {
        if (!file.read()) {
            Arrays.fill(values, from, from + VALUES, Double.NaN);
            return;
        }
        KernelText stat = file.text();
        values[from] = stat.valueOf(PERIODS);
        values[from + 1] = stat.valueOf(THROTTLED);
        values[from + 2] =
                version1
                        ? stat.valueOf(THROTTLED_TIME_1) / 1e9
                        : stat.valueOf(THROTTLED_TIME_2) / 1e6;
    }

    @Override
    public void close() {
        file.close();
    }
}
