package wallfinder.diagnosis;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.CgroupSubject;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Figure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// The CPU time that the services used, and the CPU time that they wanted, which is the time in
/// which they ran or were ready to run. A service that hardly ever sleeps is bound by the CPU,
/// whoever else uses it.
///
/// @param availableCpus `cpus` without what the generator used
/// @param lostSeconds CPU time that programs other than the generator used while the services were
///   ready to run
/// @param busiestSeconds CPU time of the thread that used the most
/// @param busiestWantedSeconds time in which the thread that wanted the most ran or was ready to
record CpuUse(
        double seconds,
        int cpus,
        double availableCpus,
        double usedSeconds,
        double lostSeconds,
        double busiestSeconds,
        double busiestWantedSeconds) {
    /// A service that wants this share of its CPUs can become at most a quarter faster by other
    /// changes.
    static final double SATURATED_SHARE = 0.8;

    /// A thread that runs or is ready to run for this share hardly waits for anything else.
    static final double ALWAYS_SHARE = 0.95;

    /// An idle share that means as much as none.
    static final double HARDLY_IDLE = 1 - ALWAYS_SHARE;

    /// A thread below [#ALWAYS_SHARE] represents its service if it does this share of the work;
    /// otherwise it is one of several.
    private static final double MOST_OF_THE_WORK = 0.5;

    /// The scheduler gives half of a shared CPU to each of two programs that want it.
    private static final double OWN_SHARE_MIN = 0.5;

    static CpuUse of(Observation observation) {
        double seconds = Symptoms.watchedSeconds(observation);
        double used = ofServices(observation, ProcessFigure.CPU);
        double available = availableCpus(observation, seconds);
        double lost = lostSeconds(observation, used, seconds, available);
        double busiest = busiest(observation, ProcessFigure.BUSIEST_THREAD).orElse(0.0);
        // In a recording without the thread's own figure, it lost in proportion to its use.
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

    /// The share of the CPU time that the generator left.
    double share() {
        return Symptoms.share(usedSeconds, availableCpus * seconds);
    }

    double lostShare() {
        return Symptoms.share(lostSeconds, availableCpus * seconds);
    }

    /// The share that the services would use if nobody else took it.
    double wantedShare() {
        return share() + lostShare();
    }

    double busiestShare() {
        return Symptoms.share(busiestSeconds, seconds);
    }

    double busiestWantedShare() {
        return Symptoms.share(busiestWantedSeconds, seconds);
    }

    /// The share of the time in which the services waited for requests, or for anything but a CPU:
    /// that of their busiest thread, or of all their CPUs.
    double idleShare() {
        return Math.max(0, 1 - Math.max(busiestWantedShare(), wantedShare()));
    }

    /// Whether the services cannot become much faster without more CPU.
    boolean saturated() {
        return wantedShare() >= SATURATED_SHARE || threadSaturated();
    }

    /// One thread can use at most one CPU.
    boolean threadSaturated() {
        return neverSleeps()
                || (busiestWantedShare() >= SATURATED_SHARE
                        && busiestSeconds >= MOST_OF_THE_WORK * usedSeconds);
    }

    /// Whether a thread of the services may have been full although none seems to have been.
    static boolean mayHideFullThread(Observation observation) {
        return Stream.of(ProcessFigure.BUSIEST_THREAD, ProcessFigure.BUSIEST_WANTED)
                .flatMap(figure -> observation.timeline().all(figure, End.SERVER))
                .anyMatch(busiest -> mayHideFullThread(observation, busiest));
    }

    /// The figure is that of the thread that was busiest since the watch began. A watch that began
    /// before the load may have seen another thread then, and the figure grows only when a thread
    /// exceeds that one. So its growth is a lower bound. The whole figure and the time of all
    /// threads are upper bounds.
    static boolean mayHideFullThread(Observation observation, Series busiest) {
        Timeline timeline = observation.timeline();
        double all =
                Stream.of(ProcessFigure.CPU, ProcessFigure.WAITING)
                        .flatMap(figure -> timeline.beside(busiest, figure).stream())
                        .mapToDouble(Series::growth)
                        .filter(growth -> growth > 0)
                        .sum();
        double full = SATURATED_SHARE * Symptoms.watchedSeconds(observation);
        return busiest.growth() < full && Math.min(busiest.last(), all) >= full;
    }

    /// Whether a thread always has work, whatever the generator does.
    boolean neverSleeps() {
        return busiestWantedShare() >= ALWAYS_SHARE;
    }

    /// For example `the services used 4.40 CPU seconds in 5.00 s (0.88 of 1 CPU)`.
    String describe() {
        return "the services used %.2f CPU seconds in %.2f s (%.2f of %d CPU%s)"
                .formatted(
                        usedSeconds,
                        seconds,
                        Symptoms.share(usedSeconds, seconds),
                        cpus,
                        cpus == 1 ? "" : "s");
    }

    /// Other programs harm the services only while the services wait for a CPU, and that wait is
    /// lost only if other programs, not the services' own threads, use the CPUs. Nobody takes a CPU
    /// from a service while its quota stops it there. The CPU time that a hypervisor takes from a
    /// running service does not count as waiting: the kernel does not notice it at the time.
    private static double lostSeconds(
            Observation observation, double used, double seconds, double availableCpus) {
        int cpus = observation.facts().serverCpus();
        double busy = observation.timeline().growth(EndFigure.CPUS_BUSY, End.SERVER);
        double steal = observation.timeline().growth(EndFigure.CPUS_STEAL, End.SERVER);
        double stopped = stoppedSeconds(observation);
        double others = Math.max(0, Math.min(busy + steal, cpus * seconds - stopped) - used);
        double whileRunning = steal * Math.min(1, Symptoms.share(used, busy));
        double lost =
                Math.min(ofServices(observation, ProcessFigure.WAITING) + whileRunning, others);
        // The available CPUs already exclude the generator's part.
        double taken = cpus - availableCpus;
        return Math.max(0, lost - taken * seconds);
    }

    /// For how long quotas stopped the services, added up over the CPUs. A quota also stops the
    /// groups inside its group, so of nested groups the one that was stopped the longest counts.
    private static double stoppedSeconds(Observation observation) {
        Map<String, Map<CgroupSubject.Place, Double>> seconds = new HashMap<>();
        observation
                .timeline()
                .all(CgroupFigure.THROTTLED_SECONDS, End.SERVER)
                .filter(s -> s.growth() > 0)
                .forEach(s -> {
                    CgroupSubject subject = CgroupSubject.parse(s.subject());
                    boolean inside = subject.place() == CgroupSubject.Place.INSIDE;
                    seconds.computeIfAbsent(subject.service(), _ -> new HashMap<>())
                            .merge(subject.place(), s.growth(), inside ? Double::sum : Math::max);
                });
        return seconds.values().stream()
                .mapToDouble(places -> Collections.max(places.values()))
                .sum();
    }

    /// The CPUs minus what the generator used, if both ends share the CPUs.
    private static double availableCpus(Observation observation, double seconds) {
        double cpus = observation.facts().serverCpus();
        if (!observation.facts().sharedCpus()) {
            return cpus;
        }
        double generator = observation.timeline().growth(LoadFigure.GENERATOR_CPU, End.CLIENT);
        return Math.max(cpus - generator / Math.max(seconds, 1e-9), cpus * OWN_SHARE_MIN);
    }

    /// A figure in seconds, summed over all services.
    static double ofServices(Observation observation, Figure figure) {
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
