package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// A CPU has as many received packets waiting as allowed (`net.core.netdev_max_backlog`), and drops
/// every further packet (`enqueue_to_backlog`, net/core/dev.c), whoever sent it.
///
/// The kernel counts this for each CPU of the host, not for a namespace. So the wall needs
/// retransmits of this load, plus either drops that explain enough of them or a long queue. A few
/// drops or retransmits among many segments may be chance. Its end is the one whose CPUs dropped
/// the packets, or the path if both ends share the CPUs. One lost packet can make both ends
/// retransmit (after a lost SYN-ACK, each end does), so the larger count is used.
public record SoftnetBacklog() implements Wall {
    private static final String MAX = "net.core.netdev_max_backlog";

    /// The drops must be at least this share of the retransmits.
    private static final double EXPLAINS_SHARE = 0.25;

    /// Fewer may be those of others.
    private static final double DROPS_MIN = 5;

    /// A smaller share of retransmitted segments harms only if the load shows it.
    private static final double AGAIN_SHARE_MIN = 0.001;

    /// A smaller share of the connections' time in slow connects harms nobody.
    private static final double SLOW_CONNECT_SHARE_MIN = 0.01;

    /// A packet that waits in the queue longer than the time-out is also retransmitted: one
    /// recording has 203 drops and more than four times as many repeated SYNs. A queue is long at
    /// this share of its limit.
    private static final double LONG_SHARE = 0.5;

    @Override
    public WallId id() {
        return WallId.SOFTNET_BACKLOG;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        double server = dropped(observation, End.SERVER);
        double client = dropped(observation, End.CLIENT);
        if (!(server > 0) && !(client > 0)) {
            boolean read =
                    observation.timeline().find(EndFigure.SOFTNET_DROPPED, End.SERVER).isPresent();
            return read
                    ? new Judgement.Clear(this, "no CPU dropped a received packet")
                    : new Judgement.Unknown(
                            this, Missing.READINGS, "unknown: the CPUs' queues were not read");
        }
        End cpus = server >= client ? End.SERVER : End.CLIENT;
        End end = observation.facts().sharedCpus() ? End.PATH : cpus;
        double again =
                Math.max(sentAgain(observation, End.SERVER), sentAgain(observation, End.CLIENT));
        List<Evidence> evidence = evidence(observation, cpus);
        String summary =
                "CPUs of the host dropped %.0f received packets"
                        .formatted(Math.max(server, client));
        boolean explains =
                observation.facts().ownCounters()
                        && again > 0
                        && (Math.max(server, client) >= EXPLAINS_SHARE * again
                                || queue(observation, cpus)
                                        >= LONG_SHARE * limit(observation, cpus));
        boolean enough =
                Math.max(server, client) >= DROPS_MIN && muchAgain(observation, symptoms, again);
        if (!explains || !enough) {
            return new Judgement.Near(
                    this, end, evidence, summary + ", which does not explain this load");
        }
        Harm harm = symptoms.harm(Harm.THROUGHPUT);
        boolean harmed =
                !symptoms.known()
                        || (symptoms.stopped()
                                && HarmTiming.together(
                                        observation,
                                        EndFigure.SOFTNET_DROPPED,
                                        cpus,
                                        harm,
                                        HarmTiming.REPEATED_NANOS));
        return harmed
                ? new Judgement.Binds(this, end, harm, evidence)
                : new Judgement.Near(this, end, evidence, summary + ", without harm to this load");
    }

    private static boolean muchAgain(Observation observation, Symptoms symptoms, double again) {
        double sent = segments(observation, End.CLIENT) + segments(observation, End.SERVER);
        if (again >= AGAIN_SHARE_MIN * sent) {
            return true;
        }
        LoadOutcome load = observation.load();
        LateAnswers late = LateAnswers.beyond(symptoms.p50Nanos(), load);
        double delayed =
                late.count()
                        + symptoms.slowConnects()
                        + load.errors(ErrorKind.CONNECT_TIMEOUT)
                        + symptoms.unanswered();
        boolean harmed =
                symptoms.errorsBegin()
                        || symptoms.leavesUnanswered()
                        || late.share() >= LateAnswers.TAIL_SHARE
                        || symptoms.slowConnectShare() >= SLOW_CONNECT_SHARE_MIN;
        return harmed && delayed > 0 && again >= EXPLAINS_SHARE * delayed;
    }

    private static double segments(Observation observation, End end) {
        return observation.timeline().growth(KernelCounter.OUT_SEGMENTS, end);
    }

    private static double dropped(Observation observation, End end) {
        return observation.timeline().growth(EndFigure.SOFTNET_DROPPED, end);
    }

    /// The longest queue seen, or `NaN`.
    private static double queue(Observation observation, End end) {
        return observation.timeline().max(EndFigure.SOFTNET_QUEUE, end);
    }

    private static double limit(Observation observation, End end) {
        return observation.timeline().last(EndFigure.SOFTNET_LIMIT, end);
    }

    private static double sentAgain(Observation observation, End end) {
        return observation.timeline().growth(KernelCounter.RETRANSMITS, end);
    }

    private static List<Evidence> evidence(Observation observation, End cpus) {
        List<Evidence> evidence = new ArrayList<>();
        double limit = limit(observation, cpus);
        observation
                .timeline()
                .find(EndFigure.SOFTNET_DROPPED, cpus)
                .map(s ->
                        EvidenceFigures.growth(
                                s,
                                "the CPUs of the %s dropped %.0f packets; each may have %s waiting to be received"
                                        .formatted(
                                                cpus.word(),
                                                s.growth(),
                                                limit > 0
                                                        ? "%.0f".formatted(limit)
                                                        : "an unknown number")))
                .ifPresent(evidence::add);
        observation
                .timeline()
                .find(EndFigure.SOFTNET_QUEUE, cpus)
                .filter(s -> s.max() > 0 && limit > 0)
                .map(s ->
                        EvidenceFigures.level(
                                s,
                                limit,
                                "%.0f packets were seen waiting at once".formatted(s.max())))
                .ifPresent(evidence::add);
        for (End end : List.of(End.CLIENT, End.SERVER)) {
            EvidenceFigures.grown(
                            observation,
                            KernelCounter.RETRANSMITS,
                            end,
                            again ->
                                    "the %s retransmitted %.0f segments"
                                            .formatted(end.word(), again))
                    .ifPresent(evidence::add);
        }
        return evidence;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    /// There is no remedy: the length of the queues belongs to the whole host.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        double limit = limit(observation, binds.end() == End.CLIENT ? End.CLIENT : End.SERVER);
        return List.of(
                new Advice(
                        "sysctl -w %s=%.0f".formatted(MAX, limit > 0 ? 10 * limit : 10_000),
                        "packets wait longer in a longer queue"),
                new Advice(
                        "spread the packets over more CPUs: echo MASK > /sys/class/net/DEVICE/queues/rx-0/rps_cpus, or more receive queues (ethtool -L)",
                        "CPU time of the other CPUs"),
                new Advice(
                        "fewer or faster rules for each packet (nft sets and maps instead of lists)",
                        "your time"));
    }
}
