package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// One CPU of the services is full because the kernel handles received packets there (in software
/// interrupts), and the services could use other CPUs or have no other.
///
/// The kernel charges this time to whichever thread it interrupts. So a service on the same CPU
/// seems to use it by itself, and only the CPU's own counters show who did.
public record SoftirqCpu() implements Wall {
    /// A CPU that is never idle and spends this share on packets has a fifth left. Less work of
    /// another kind makes it at most a quarter faster.
    private static final double PACKETS_SHARE_MIN = 0.8;

    /// A full CPU is idle for less than this share. The rest allows for the ends of the measurement
    /// and for the ticks in which the kernel counts.
    private static final double IDLE_SHARE_MAX = 0.1;

    /// Below this share of the time, the text says how little the kernel counted.
    private static final double COUNTED_SHARE_USUAL = 0.9;

    /// If programs use this share of the other CPUs, the packets on one CPU are not the reason.
    private static final double OTHERS_SHARE_MAX = CpuUse.SATURATED_SHARE;

    /// This share of the packets on these CPUs must arrive in the services' network. A packet that
    /// passes a bridge or a tunnel first is counted there, too.
    private static final double OWN_SHARE_MIN = 0.25;

    @Override
    public WallId id() {
        return WallId.SOFTIRQ_CPU;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (!observation.facts().serverWatched()) {
            return new Judgement.Unknown(this, Missing.SERVER);
        }
        Optional<Series> most = most(observation);
        if (most.isEmpty()
                || EvidenceFigures.find(observation, EndFigure.SOFTNET_PROCESSED, End.SERVER)
                        .isEmpty()) {
            return new Judgement.Unknown(this, Missing.READINGS);
        }
        String summary = describe(observation, most.get());
        if (!full(observation)) {
            return new Judgement.Clear(this, summary);
        }
        if (othersShare(observation) >= OTHERS_SHARE_MAX) {
            return new Judgement.Clear(this, summary + "; programs use the other CPUs");
        }
        End end = observation.facts().sharedCpus() ? End.PATH : End.SERVER;
        List<Evidence> evidence = evidence(observation, summary);
        if (!observation.facts().ownCounters() || !ownPackets(observation)) {
            return new Judgement.Near(
                    this, end, evidence, summary + "; the packets may be those of others");
        }
        return symptoms.known() && !symptoms.surelyStopped()
                ? new Judgement.Near(this, end, evidence, summary + ", without harm to this load")
                : new Judgement.Binds(this, end, symptoms.harm(Harm.THROUGHPUT), evidence);
    }

    private static Optional<Series> most(Observation observation) {
        return EvidenceFigures.find(observation, EndFigure.CPUS_SOFTIRQ_MOST, End.SERVER);
    }

    private static String describe(Observation observation, Series most) {
        double watched = Symptoms.watchedSeconds(observation);
        double counted = countedSeconds(observation);
        return "CPU %.0f handled packets (software interrupts) for %.2f s of %.2f s%s"
                .formatted(
                        observation.timeline().last(EndFigure.CPUS_SOFTIRQ_MOST_CPU, End.SERVER),
                        most.growth(),
                        counted,
                        counted < COUNTED_SHARE_USUAL * watched
                                ? ", which is all that the kernel counted of %.2f s"
                                        .formatted(watched)
                                : "");
    }

    /// The kernel counts most of the time by its ticks. A virtual machine loses ticks while its
    /// host lets it wait, so a share has to be one of the ticks that were counted. Idle time is
    /// counted by the clock, so the sum may also be longer than the time that passed.
    private static double countedSeconds(Observation observation) {
        double watched = Symptoms.watchedSeconds(observation);
        double counted = grown(observation, EndFigure.CPUS_SOFTIRQ_MOST_COUNTED);
        return counted > 0 ? Math.min(counted, watched) : watched;
    }

    private static boolean full(Observation observation) {
        double seconds = countedSeconds(observation);
        double packets = grown(observation, EndFigure.CPUS_SOFTIRQ_MOST);
        double idle =
                Math.min(
                        grown(observation, EndFigure.CPUS_SOFTIRQ_MOST_IDLE),
                        Math.max(0, seconds - packets));
        return packets >= PACKETS_SHARE_MIN * seconds && idle <= IDLE_SHARE_MAX * seconds;
    }

    /// The share of the other CPUs that was used for anything but software interrupts.
    private static double othersShare(Observation observation) {
        double seconds = Symptoms.watchedSeconds(observation);
        double here =
                countedSeconds(observation)
                        - grown(observation, EndFigure.CPUS_SOFTIRQ_MOST)
                        - grown(observation, EndFigure.CPUS_SOFTIRQ_MOST_IDLE);
        double programs =
                grown(observation, EndFigure.CPUS_BUSY)
                        + grown(observation, EndFigure.CPUS_STEAL)
                        - grown(observation, EndFigure.CPUS_SOFTIRQ)
                        - here;
        return Symptoms.share(programs, (observation.facts().serverCpus() - 1) * seconds);
    }

    private static boolean ownPackets(Observation observation) {
        double own =
                Math.max(
                        observation.timeline().growth(KernelCounter.IN_PACKETS, End.SERVER),
                        observation.timeline().growth(KernelCounter.IN_SEGMENTS, End.SERVER));
        return own >= OWN_SHARE_MIN * grown(observation, EndFigure.SOFTNET_PROCESSED);
    }

    private static double grown(Observation observation, EndFigure figure) {
        return observation.timeline().growth(figure, End.SERVER);
    }

    private static List<Evidence> evidence(Observation observation, String summary) {
        List<Evidence> evidence = new ArrayList<>();
        most(observation).map(s -> EvidenceFigures.growth(s, summary)).ifPresent(evidence::add);
        EvidenceFigures.find(observation, EndFigure.CPUS_SOFTIRQ_MOST_IDLE, End.SERVER)
                .map(s ->
                        EvidenceFigures.growth(
                                s, "this CPU was idle for %.2f s".formatted(s.growth())))
                .ifPresent(evidence::add);
        EvidenceFigures.grown(
                        observation,
                        EndFigure.SOFTNET_PROCESSED,
                        End.SERVER,
                        packets ->
                                "the CPUs of the server received %.0f packets in all networks of the host"
                                        .formatted(packets))
                .ifPresent(evidence::add);
        for (KernelCounter own : List.of(KernelCounter.IN_PACKETS, KernelCounter.IN_SEGMENTS)) {
            EvidenceFigures.grown(
                            observation,
                            own,
                            End.SERVER,
                            packets ->
                                    "%.0f %s arrived in the server's network"
                                            .formatted(
                                                    packets,
                                                    own.equals(KernelCounter.IN_PACKETS)
                                                            ? "IP packets"
                                                            : "TCP segments"))
                    .ifPresent(evidence::add);
        }
        EvidenceFigures.grown(
                        observation,
                        EndFigure.SOFTNET_SQUEEZED,
                        End.SERVER,
                        times ->
                                "%.0f times a CPU ended a round of packets with some left, at the kernel's limit (netdev_budget)"
                                        .formatted(times))
                .ifPresent(evidence::add);
        return List.copyOf(evidence);
    }

    /// The counters cover the whole watch.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return 1;
    }

    /// How many packets a CPU has to handle depends on the generator.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    /// There is no remedy: rules and receive queues are no settings of an experiment.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        double packets = grown(observation, EndFigure.SOFTNET_PROCESSED);
        double micros = 1e6 * Symptoms.share(grown(observation, EndFigure.CPUS_SOFTIRQ), packets);
        return List.of(
                new Advice(
                        "make each packet cheaper (it takes %.1f us now): nft sets and maps instead of lists of rules, a flowtable, fewer bridges and captures"
                                .formatted(micros),
                        "your time"),
                new Advice(
                        "spread the packets over more CPUs: echo MASK > /sys/class/net/DEVICE/queues/rx-0/rps_cpus, or more receive queues (ethtool -L)",
                        "CPU time of the other CPUs"),
                new Advice(
                        "send fewer packets: keep connections open, send larger answers at once",
                        "changes to clients and service"));
    }
}
