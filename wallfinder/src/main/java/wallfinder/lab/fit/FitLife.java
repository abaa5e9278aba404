package wallfinder.lab.fit;

import java.util.List;
import java.util.Optional;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.LogFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// What was read of one service from its start on. The start may be what needs the most memory.
record FitLife(String service, Timeline timeline) {
    static final double MEGABYTE = 1 << 20;

    /// Memory that cannot be reclaimed: the programs' own and the kernel's.
    ///
    /// @param instant the index in the timeline at which the sum was the largest
    /// @param ownBytes anonymous and shared memory
    record Peak(int instant, double ownBytes, double kernelBytes) {
        double bytes() {
            return ownBytes + kernelBytes;
        }
    }

    Peak peak() {
        double[] anonymous = values(CgroupFigure.MEMORY_ANONYMOUS.of(service));
        double[] shared = values(CgroupFigure.MEMORY_SHARED.of(service));
        double[] kernel = values(CgroupFigure.MEMORY_KERNEL.of(service));
        Peak peak = new Peak(0, 0, 0);
        for (int i = 0; i < anonymous.length; i++) {
            double ownBytes = anonymous[i] + known(shared, i);
            double kernelBytes = known(kernel, i);
            if (ownBytes + kernelBytes > peak.bytes()) {
                peak = new Peak(i, ownBytes, kernelBytes);
            }
        }
        return peak;
    }

    private static double known(double[] values, int instant) {
        return instant < values.length && values[instant] > 0 ? values[instant] : 0;
    }

    /// The size of the heap at the peak, or `NaN`.
    double heapCommittedBytes() {
        double[] committed = values(JvmFigure.HEAP_COMMITTED.of(service));
        return committed.length == 0 ? Double.NaN : committed[peak().instant()];
    }

    /// The largest size that the heap may grow to, or `NaN`.
    double heapMaxBytes() {
        return jvm(JvmFigure.HEAP_MAX).map(Series::max).orElse(Double.NaN);
    }

    double threads() {
        return timeline.max(ProcessFigure.THREADS.of(service), End.SERVER);
    }

    /// The number of processes that the kernel killed for memory.
    double killed() {
        return count(CgroupFigure.OOM_KILLS.of(service));
    }

    /// How often its log reported a full heap.
    double heapErrors() {
        return count(LogFigure.HEAP_ERRORS.of(service));
    }

    double refaults() {
        return count(CgroupFigure.REFAULTS.of(service));
    }

    double majorFaults() {
        return count(CgroupFigure.MAJOR_FAULTS.of(service));
    }

    double fullestBytes() {
        return timeline.max(CgroupFigure.MEMORY.of(service), End.SERVER);
    }

    /// The share of its CPU time that went into garbage collection.
    double collectorShare() {
        double cpu = timeline.growth(ProcessFigure.CPU.of(service), End.SERVER);
        double collector = jvm(JvmFigure.COLLECTOR_CPU).map(Series::growth).orElse(0.0);
        return cpu > 0 ? collector / cpu : 0;
    }

    /// The share of the services' CPUs that other processes used.
    double othersShare() {
        double busy =
                timeline.growth(EndFigure.CPUS_BUSY, End.SERVER)
                        + timeline.growth(EndFigure.CPUS_STEAL, End.SERVER);
        double own = timeline.growth(ProcessFigure.CPU.of(service), End.SERVER);
        double count = find(EndFigure.CPUS_COUNT).map(Series::last).orElse(1.0);
        return seconds() > 0 ? Math.max(0, busy - own) / (count * seconds()) : 0;
    }

    double seconds() {
        long[] nanos = timeline.nanos();
        return nanos.length == 0 ? 0 : nanos[nanos.length - 1] / 1e9;
    }

    /// Whether its process had ended.
    boolean gone() {
        double[] cpu = values(ProcessFigure.CPU.of(service));
        return cpu.length > 0 && Double.isNaN(cpu[cpu.length - 1]);
    }

    private Optional<Series> jvm(JvmFigure figure) {
        return find(figure.of(service)).filter(series -> !Double.isNaN(series.max()));
    }

    private Optional<Series> find(Key key) {
        return timeline.find(key, End.SERVER);
    }

    /// A counter of the cgroup, which is as old as the service.
    private double count(Key key) {
        return find(key).map(Series::last).filter(last -> last > 0).orElse(0.0);
    }

    private double[] values(Key key) {
        return find(key).map(Series::values).orElse(new double[0]);
    }

    /// The memory figures in words, as evidence.
    List<String> memorySummary() {
        Peak peak = peak();
        return List.of(
                "it used %.0f MB: %.0f MB of the programs' own, %.0f MB of the kernel's"
                        .formatted(
                                fullestBytes() / MEGABYTE,
                                peak.ownBytes() / MEGABYTE,
                                peak.kernelBytes() / MEGABYTE));
    }
}
