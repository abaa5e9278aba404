package wallfinder.lab;

import java.util.List;
import java.util.Optional;
import wallfinder.observation.End;
import wallfinder.observation.Names;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// What was read of one service from its first moment to its end, its start included: what it needs
/// most memory for may well be that.
record FitLife(String service, Timeline timeline) {
    static final double MEGABYTE = 1 << 20;

    /// What cannot be given back: the programs' own memory and the kernel's.
    ///
    /// @param instant of the timeline at which their sum was the largest
    record Peak(int instant, double anonymousBytes, double kernelBytes) {
        double bytes() {
            return anonymousBytes + kernelBytes;
        }
    }

    Peak peak() {
        double[] anonymous = values(Names.cgroup(service, "memoryAnonymous"));
        double[] kernel = values(Names.cgroup(service, "memoryKernel"));
        Peak peak = new Peak(0, 0, 0);
        for (int i = 0; i < anonymous.length; i++) {
            double kernelBytes = i < kernel.length && kernel[i] > 0 ? kernel[i] : 0;
            if (anonymous[i] + kernelBytes > peak.bytes()) {
                peak = new Peak(i, anonymous[i], kernelBytes);
            }
        }
        return peak;
    }

    /// How large the heap was when the memory was the fullest, or `NaN`.
    double heapCommittedBytes() {
        double[] committed = values(Names.jvm(service, "heapCommitted"));
        return committed.length == 0 ? Double.NaN : committed[peak().instant()];
    }

    /// What the heap may grow to, or `NaN`.
    double heapMaxBytes() {
        return jvm("heapMax").map(Series::max).orElse(Double.NaN);
    }

    double threads() {
        return find(Names.process(service, "threads")).map(Series::max).orElse(Double.NaN);
    }

    /// The processes that the kernel killed for memory.
    double killed() {
        return count(Names.cgroup(service, "oomKills"));
    }

    /// How often it told that its heap is full.
    double heapErrors() {
        return count(Names.log(service, "heapErrors"));
    }

    double refaults() {
        return count(Names.cgroup(service, "refaults"));
    }

    double majorFaults() {
        return count(Names.cgroup(service, "majorFaults"));
    }

    double fullestBytes() {
        return find(Names.cgroup(service, "memory")).map(Series::max).orElse(Double.NaN);
    }

    /// The part of its CPU time that went into collecting.
    double collectorShare() {
        double cpu = timeline.growth(Names.process(service, "cpu"), End.SERVER);
        double collector = jvm("collectorCpu").map(Series::growth).orElse(0.0);
        return cpu > 0 ? collector / cpu : 0;
    }

    /// The part of the CPUs that the services may use which others had.
    double othersShare() {
        double busy =
                timeline.growth(Names.cpus("busy"), End.SERVER)
                        + timeline.growth(Names.cpus("steal"), End.SERVER);
        double own = timeline.growth(Names.process(service, "cpu"), End.SERVER);
        double count = find(Names.cpus("count")).map(Series::last).orElse(1.0);
        return seconds() > 0 ? Math.max(0, busy - own) / (count * seconds()) : 0;
    }

    double seconds() {
        long[] nanos = timeline.nanos();
        return nanos.length == 0 ? 0 : nanos[nanos.length - 1] / 1e9;
    }

    /// Whether its process was gone at the end.
    boolean gone() {
        double[] cpu = values(Names.process(service, "cpu"));
        return cpu.length > 0 && Double.isNaN(cpu[cpu.length - 1]);
    }

    private Optional<Series> jvm(String what) {
        return find(Names.jvm(service, what)).filter(series -> !Double.isNaN(series.max()));
    }

    private Optional<Series> find(String name) {
        return timeline.find(name, End.SERVER);
    }

    /// The cgroup is as old as the service: all that it counted is the service's.
    private double count(String name) {
        return find(name).map(Series::last).filter(last -> last > 0).orElse(0.0);
    }

    private double[] values(String name) {
        return find(name).map(Series::values).orElse(new double[0]);
    }

    /// The figures in words, for who asks why it was too little.
    List<String> told() {
        Peak peak = peak();
        return List.of(
                "it was seen with %.0f MB: %.0f MB of the programs' own, %.0f MB of the kernel's"
                        .formatted(
                                fullestBytes() / MEGABYTE,
                                peak.anonymousBytes() / MEGABYTE,
                                peak.kernelBytes() / MEGABYTE));
    }
}
