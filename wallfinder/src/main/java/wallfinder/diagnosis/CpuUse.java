package wallfinder.diagnosis;

import java.util.Optional;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// What the services used of their CPUs, and what they wanted: the time in which they ran or were
/// ready to run. A service that hardly ever sleeps is bound by the CPU, however little of it the
/// others leave.
///
/// @param seconds how long the counters were read
/// @param cpus how many CPUs the services may run on
/// @param availableCpus the same, less what the generator used of them
/// @param usedSeconds CPU time of the services
/// @param lostSeconds CPU time that others used while the services were ready to run, without that
///   of the generator
/// @param busiestSeconds CPU time of the thread that used most
/// @param busiestWantedSeconds of the thread that wanted most, the time in which it ran or was
///   ready to run
record CpuUse(
        double seconds,
        int cpus,
        double availableCpus,
        double usedSeconds,
        double lostSeconds,
        double busiestSeconds,
        double busiestWantedSeconds) {
    /// Whatever else is moved, a service that wants this share of its CPUs becomes at most a
    /// quarter faster, and then it ends at the CPU.
    static final double SATURATED_SHARE = 0.8;

    /// A thread that runs or is ready to run this long never waits for anything else worth naming.
    static final double ALWAYS_SHARE = 0.95;

    /// A thread below [#ALWAYS_SHARE] stands for its service if it does most of the service's work:
    /// beside others that work as much it is one of several.
    private static final double MOST_OF_THE_WORK = 0.5;

    /// The scheduler gives half of shared CPUs to each of two programs that want them.
    private static final double OWN_SHARE_MIN = 0.5;

    static CpuUse of(Observation observation) {
        double seconds = Symptoms.watchedSeconds(observation);
        double used = ofServices(observation, ProcessFigure.CPU);
        double available = availableCpus(observation, seconds);
        double lost = lostSeconds(observation, used, seconds, available);
        double busiest = busiest(observation, ProcessFigure.BUSIEST_THREAD).orElse(0.0);
        // A recording without the thread's own figure: it lost in proportion to what it used.
        double wanted =
                busiest(observation, ProcessFigure.BUSIEST_WANTED)
                        .orElseGet(() -> busiest * (1 + Symptoms.share(lost, used)));
        return new CpuUse(
                seconds,
                observation.facts().serverCpus(),
                available,
                used,
                lost,
                Math.min(busiest, seconds),
                Math.min(wanted, seconds));
    }

    /// Of what the generator left.
    double share() {
        return Symptoms.share(usedSeconds, availableCpus * seconds);
    }

    double lostShare() {
        return Symptoms.share(lostSeconds, availableCpus * seconds);
    }

    /// What the services would use if nobody else took it.
    double wantedShare() {
        return share() + lostShare();
    }

    double busiestShare() {
        return Symptoms.share(busiestSeconds, seconds);
    }

    double busiestWantedShare() {
        return Symptoms.share(busiestWantedSeconds, seconds);
    }

    /// Whether the services cannot become much faster without more CPU.
    boolean saturated() {
        return allSaturated() || threadSaturated();
    }

    boolean allSaturated() {
        return wantedShare() >= SATURATED_SHARE;
    }

    /// A thread can use no more than one CPU, however many there are.
    boolean threadSaturated() {
        return neverSleeps()
                || (busiestWantedShare() >= SATURATED_SHARE
                        && busiestSeconds >= MOST_OF_THE_WORK * usedSeconds);
    }

    /// Whether a thread always has a request to work on, whatever the generator does.
    boolean neverSleeps() {
        return busiestWantedShare() >= ALWAYS_SHARE;
    }

    /// What was counted, in words: `0.89 of 1 CPU`.
    String told() {
        return "the services used %.2f CPU seconds in %.2f s (%.2f of %d CPU%s)"
                .formatted(
                        usedSeconds,
                        seconds,
                        Symptoms.share(usedSeconds, seconds),
                        cpus,
                        cpus == 1 ? "" : "s");
    }

    /// What others used of the CPUs harms the services only while they wait; that they wait harms
    /// them only if others use the CPUs, and not their own threads. What a hypervisor took of a CPU
    /// on which they ran is no waiting: the kernel knows nothing of it at the time.
    private static double lostSeconds(
            Observation observation, double used, double seconds, double availableCpus) {
        double busy = observation.timeline().growth(EndFigure.CPUS_BUSY, End.SERVER);
        double steal = observation.timeline().growth(EndFigure.CPUS_STEAL, End.SERVER);
        double others = Math.max(0, busy + steal - used);
        double whileRunning = steal * Math.min(1, Symptoms.share(used, busy));
        double lost =
                Math.min(ofServices(observation, ProcessFigure.WAITING) + whileRunning, others);
        // What the generator took has been left out of what was available.
        double taken = observation.facts().serverCpus() - availableCpus;
        return Math.max(0, lost - taken * seconds);
    }

    /// On a CPU set that the generator shares, what it took was not there for the service.
    private static double availableCpus(Observation observation, double seconds) {
        double cpus = observation.facts().serverCpus();
        if (!observation.facts().sharedCpus()) {
            return cpus;
        }
        double generator = observation.timeline().growth(LoadFigure.GENERATOR_CPU, End.CLIENT);
        return Math.max(cpus - generator / Math.max(seconds, 1e-9), cpus * OWN_SHARE_MIN);
    }

    /// A figure in seconds, summed over all processes of the services.
    private static double ofServices(Observation observation, ProcessFigure figure) {
        return observation
                .timeline()
                .all(figure, End.SERVER)
                .mapToDouble(Series::growth)
                .filter(growth -> growth > 0)
                .sum();
    }

    private static Optional<Double> busiest(Observation observation, ProcessFigure figure) {
        return observation
                .timeline()
                .all(figure, End.SERVER)
                .map(Series::growth)
                .filter(growth -> growth >= 0)
                .max(Double::compare);
    }
}
