package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.Series;

/// Connections are opened and closed instead of reused, and each connection that this end closes
/// first keeps its port for 60 s in TIME_WAIT (`TCP_TIMEWAIT_LEN`, include/net/tcp.h). This wall is
/// named only as the cause of exhausted ports: while ports are left, closing harms nobody.
public record ConnectionChurn() implements Wall {
    /// Above this share, closed connections rather than open ones take up the ports.
    private static final double CLOSED_SHARE = 0.5;

    /// `TCP_TIMEWAIT_LEN`, include/net/tcp.h.
    private static final double TIME_WAIT_SECONDS = 60;

    /// The start and the end of a program take at most the rest of its life.
    private static final double COUNTED_SHARE = 0.8;

    /// A smaller number of closed connections predicts nothing.
    private static final double CLOSED_MIN = 100;

    /// A pool without a maximum grows by this factor.
    private static final long FACTOR = 16;

    @Override
    public WallId id() {
        return WallId.CONNECTION_CHURN;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<EphemeralPorts.PortUse> use = EphemeralPorts.most(observation);
        if (use.isEmpty()) {
            return others.of(WallId.EPHEMERAL_PORTS)
                            instanceof Judgement.Unknown(Wall _, Missing missing, String _)
                    ? new Judgement.Unknown(this, missing)
                    : clear();
        }
        return switch (others.of(WallId.EPHEMERAL_PORTS)) {
            case Judgement.Binds ports -> cause(observation, ports, use.get());
            case Judgement.Near ports -> masked(observation, ports, use.get());
            case Judgement.Clear _, Judgement.Unknown _ -> inTime(observation, use.get());
        };
    }

    private Judgement clear() {
        return new Judgement.Clear(this, "no local ports ran out");
    }

    private Judgement cause(
            Observation observation, Judgement.Binds ports, EphemeralPorts.PortUse use) {
        if (!ofClosed(observation, use)) {
            return new Judgement.Clear(
                    this,
                    "open connections took up the ports: up to %.0f at once"
                            .formatted(living(observation, ports.end())));
        }
        List<Evidence> evidence = new ArrayList<>(evidence(observation, use));
        evidence.addAll(ports.evidence());
        return new Judgement.Binds(this, ports.end(), ports.harm(), List.copyOf(evidence));
    }

    /// Closed connections take nearly all ports: the ports just suffice, or the kernel reuses them.
    private Judgement masked(
            Observation observation, Judgement.Near ports, EphemeralPorts.PortUse use) {
        if (!ofClosed(observation, use)) {
            return clear();
        }
        List<Evidence> evidence = evidence(observation, use);
        return new Judgement.Near(
                this,
                ports.end(),
                evidence,
                "%s, most of them by closed connections; %s"
                        .formatted(ports.because(), evidence.getLast().says()));
    }

    /// A measurement shorter than TIME_WAIT may end before the ports run out.
    private Judgement inTime(Observation observation, EphemeralPorts.PortUse use) {
        // On a shared network, others are in TIME_WAIT from the beginning on.
        double perSecond = (use.used().max() - use.used().first()) / seconds(observation);
        boolean runOut =
                seconds(observation) < TIME_WAIT_SECONDS
                        && perSecond * TIME_WAIT_SECONDS >= use.limit()
                        && use.used().max() >= CLOSED_MIN
                        && ofClosed(observation, use);
        return runOut
                ? new Judgement.Near(
                        this,
                        use.end(),
                        evidence(observation, use),
                        "%.0f connections a second were closed first by this end, and each keeps its port for 60 s: the %.0f ports towards %s would have been used up after %.0f s"
                                .formatted(
                                        perSecond,
                                        use.limit(),
                                        use.destination(),
                                        use.limit() / perSecond))
                : clear();
    }

    /// Whether closed connections take up the ports, rather than open ones.
    private static boolean ofClosed(Observation observation, EphemeralPorts.PortUse use) {
        double held = use.used().max();
        return observation.timeline().max(KernelCounter.TIME_WAIT, use.end()) >= CLOSED_SHARE * held
                && living(observation, use.end()) < CLOSED_SHARE * held;
    }

    private static List<Evidence> evidence(Observation observation, EphemeralPorts.PortUse use) {
        List<Evidence> evidence = new ArrayList<>();
        observation
                .timeline()
                .find(KernelCounter.TIME_WAIT, use.end())
                .ifPresent(closed ->
                        evidence.add(
                                EvidenceFigures.level(
                                        closed,
                                        use.limit(),
                                        "%.0f of the ports belong to connections that this end closed first, and stay taken for 60 s"
                                                .formatted(
                                                        Math.min(
                                                                closed.max(), use.used().max())))));
        opened(observation, use.end(), use.limit()).ifPresent(evidence::add);
        return List.copyOf(evidence);
    }

    /// The start and the end of a program take at most the rest of its life.
    private static double seconds(Observation observation) {
        double watched = Symptoms.watchedSeconds(observation);
        double measured = observation.load().seconds();
        return observation.load() instanceof LoadOutcome.Command && measured > 0
                ? Math.min(measured, watched)
                : watched;
    }

    /// The time in which the ports were exhausted.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return binds.evidence().stream()
                .filter(evidence -> evidence.subject(PortsFigure.USED).isPresent())
                .mapToDouble(evidence -> EphemeralPorts.lasted(evidence, observation))
                .max()
                .orElse(0);
    }

    /// The largest number at one time. At the very end, all of them may be closed without harm.
    private static double living(Observation observation, End end) {
        return observation.timeline().max(KernelCounter.TCP_IN_USE, end);
    }

    private static Optional<Evidence> opened(Observation observation, End end, double limit) {
        return observation
                .timeline()
                .find(KernelCounter.ACTIVE_OPENS, end)
                .filter(s -> s.growth() > 0)
                .map(s -> {
                    double perSecond = s.growth() / seconds(observation);
                    return EvidenceFigures.growth(
                            s,
                            "%.0f connections were opened%s: %.1f a second x 60 s are %.0f ports, and there are %.0f"
                                    .formatted(
                                            s.growth(),
                                            requestsEach(observation, end, s),
                                            perSecond,
                                            perSecond * TIME_WAIT_SECONDS,
                                            limit));
                });
    }

    /// Only the client's connections carry the load's requests. A program that counts requests
    /// during only a part of its life sends more than it reports.
    private static String requestsEach(Observation observation, End end, Series opened) {
        long answered = observation.load().answered();
        boolean all = seconds(observation) >= COUNTED_SHARE * Symptoms.watchedSeconds(observation);
        return end == End.CLIENT && answered > 0
                ? ", for %s%.1f requests each"
                        .formatted(all ? "" : "at least ", answered / opened.growth())
                : "";
    }

    @Override
    public boolean seen(Observation observation) {
        return true;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    /// Reusing connections comes before making room for more of them.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        List<Remedy> remedies =
                new ArrayList<>(
                        Remedy.each(
                                Change.raised(experiment, id(), 0, ConnectionChurn::roomier),
                                "connections that stay open while idle"));
        remedies.addAll(new EphemeralPorts().remedies(binds, observation, experiment));
        return List.copyOf(remedies);
    }

    private static long roomier(Knob knob) {
        return knob.max() == null
                ? FACTOR * Math.max(1, EvidenceFigures.number(knob.value()))
                : knob.max();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        List<Advice> advice = new ArrayList<>();
        advice.add(
                new Advice(
                        "reuse connections: read every response to its end before closing it, and give the pool as many idle connections as there are callers",
                        "none"));
        new EphemeralPorts()
                .advice(binds, observation).stream()
                        .filter(other -> other.command().startsWith("sysctl"))
                        .forEach(advice::add);
        return List.copyOf(advice);
    }
}
