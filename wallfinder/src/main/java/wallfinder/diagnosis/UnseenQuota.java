package wallfinder.diagnosis;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// A CPU quota whose cgroup cannot be read. While a thread is ready to run, at least one of the
/// CPUs that it may use is busy, whoever uses it, unless a quota stops the thread. So a thread that
/// wanted a CPU for longer than all these CPUs together were busy was stopped.
///
/// A quota of more than one CPU cannot be seen like this, nor one of a service whose CPUs are busy
/// with other programs. It is an inference, so it serves only if no cgroup of a service was read.
///
/// @param wanted for how long the service's busiest thread ran or was ready to run
/// @param busySeconds the CPUs together, at most
record UnseenQuota(Series wanted, double busySeconds, double seconds) {
    /// A virtual CPU needs some time to wake up. Meanwhile the thread is ready to run, and the CPU
    /// counts as idle. 10,000 wake-ups a second of 30 us each take this share of the time.
    private static final double STOPPED_SHARE = 0.3;

    static Optional<UnseenQuota> of(Observation observation) {
        if (EvidenceFigures.missingOfCgroup(observation) != Missing.CGROUP) {
            return Optional.empty();
        }
        double seconds = Symptoms.watchedSeconds(observation);
        return observation
                .timeline()
                .all(ProcessFigure.BUSIEST_WANTED, End.SERVER)
                .filter(s -> s.growth() > 0)
                .max(Comparator.comparingDouble(Series::growth))
                .map(wanted -> new UnseenQuota(wanted, busySeconds(observation, seconds), seconds))
                .filter(quota -> quota.stoppedShare() >= STOPPED_SHARE);
    }

    /// The time for which any program used the CPUs, at most. The kernel counts idle time by its
    /// clock, and other time by its ticks, of which a virtual machine loses some. The larger of
    /// both figures counts; `NaN` without the readings.
    static double busySeconds(Observation observation, double seconds) {
        double used =
                grown(observation, EndFigure.CPUS_BUSY) + grown(observation, EndFigure.CPUS_STEAL);
        double idle = grown(observation, EndFigure.CPUS_COUNTED) - used;
        double cpus = observation.timeline().last(EndFigure.CPUS_COUNT, End.SERVER);
        return Math.max(used, cpus * seconds - idle);
    }

    /// Whether this is the evidence of a judgement.
    static boolean isIn(Judgement.Binds binds) {
        return binds.evidence().stream()
                .anyMatch(one -> one.counter().isOf(ProcessFigure.BUSIEST_WANTED));
    }

    private static double grown(Observation observation, EndFigure figure) {
        return observation.timeline().growth(figure, End.SERVER);
    }

    /// At least.
    private double stoppedSeconds() {
        return wanted.growth() - busySeconds;
    }

    double stoppedShare() {
        return stoppedSeconds() / seconds;
    }

    String describe() {
        return "%s was stopped for at least %.2f s of %.2f s although a CPU was free, as a CPU quota does"
                .formatted(wanted.subject(), stoppedSeconds(), seconds);
    }

    List<Evidence> evidence() {
        return List.of(
                EvidenceFigures.growth(
                        wanted,
                        "a thread of %s ran or was ready to run for %.2f s of %.2f s"
                                .formatted(wanted.subject(), wanted.growth(), seconds)),
                EvidenceFigures.against(
                        "cpusBusyAtMost",
                        End.SERVER,
                        busySeconds,
                        wanted.growth(),
                        "derived: the larger of cpus.busy + cpus.steal and the time in which the CPUs were not idle",
                        "all CPUs that it may use were busy for at most %.2f s together: %s"
                                .formatted(busySeconds, describe())));
    }
}
