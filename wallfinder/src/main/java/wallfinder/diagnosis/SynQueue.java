package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// The queue of incomplete handshakes is full. The kernel then drops the first packet of every
/// further handshake or, with SYN cookies, answers it without keeping any state (`tcp_conn_request`
/// and `tcp_syn_flood_action`, net/ipv4/tcp_input.c). The queue is as long as the listener's
/// backlog; `tcp_max_syn_backlog` limits it only without cookies.
public record SynQueue() implements Wall {
    private static final String COOKIES = "net.ipv4.tcp_syncookies";

    /// Behind a full accept queue, more handshakes are dropped at their first packet than overflow
    /// it, because clients repeat them. With fewer overflows than this share, the queue filled for
    /// another reason.
    private static final double BEHIND_SHARE_MIN = 1 / 3.0;

    @Override
    public WallId id() {
        return WallId.SYN_QUEUE;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (!observation.facts().serverWatched()) {
            return new Judgement.Unknown(this, Missing.SERVER);
        }
        double drops = drops(observation);
        double cookies = grown(observation, KernelCounter.SYN_COOKIES_SENT);
        if (drops + cookies <= 0) {
            boolean read =
                    EvidenceFigures.find(observation, KernelCounter.SYN_QUEUE_DROPS, End.SERVER)
                            .isPresent();
            return read
                    ? new Judgement.Clear(this, "no queue of half-open connections was full")
                    : new Judgement.Unknown(
                            this, Missing.READINGS, "unknown: the kernel's counters were not read");
        }
        double overflows = AcceptQueue.overflows(observation);
        if (overflows > 0 && overflows >= BEHIND_SHARE_MIN * drops) {
            return new Judgement.Clear(
                    this,
                    "it filled behind the accept queue, which had no place for completed handshakes");
        }
        List<Evidence> evidence = evidence(observation, drops);
        Optional<Harm> harm = drops > 0 ? harm(observation, symptoms) : Optional.empty();
        if (harm.isPresent() || (drops > 0 && observation.load() instanceof LoadOutcome.Unseen)) {
            return new Judgement.Binds(this, End.SERVER, harm.orElse(null), evidence);
        }
        return new Judgement.Near(
                this,
                End.SERVER,
                evidence,
                drops > 0
                        ? "%.0f handshakes were dropped at their first packet, without harm to this load"
                                .formatted(drops)
                        : "the queue of half-open connections was full, and SYN cookies replaced it %.0f times"
                                .formatted(cookies));
    }

    private static Optional<Harm> harm(Observation observation, Symptoms symptoms) {
        return switch (observation.load()) {
            case LoadOutcome.Command _ when symptoms.errorsBegin() -> Optional.of(Harm.ERRORS);
            case LoadOutcome.Driven _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    AcceptQueue.harm(observation, symptoms);
        };
    }

    /// The host's counter covers all of its services, so the listener must have drops, too.
    private static double drops(Observation observation) {
        return observation.facts().ownCounters(End.SERVER)
                        || AcceptQueue.listenerDrops(observation) > 0
                ? grown(observation, KernelCounter.SYN_QUEUE_DROPS)
                : 0;
    }

    private static double grown(Observation observation, Key counter) {
        return observation.timeline().growth(counter, End.SERVER);
    }

    private static List<Evidence> evidence(Observation observation, double drops) {
        List<Evidence> evidence = new ArrayList<>();
        if (drops > 0) {
            EvidenceFigures.grown(
                            observation,
                            KernelCounter.SYN_QUEUE_DROPS,
                            End.SERVER,
                            _ ->
                                    "%.0f handshakes were dropped at their first packet: half-open ones had filled the queue"
                                            .formatted(drops))
                    .ifPresent(evidence::add);
        }
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.SYN_COOKIES_SENT,
                        End.SERVER,
                        "%.0f were answered with a cookie, without a place in the queue"::formatted)
                .ifPresent(evidence::add);
        Backlog.limit(observation)
                .ifPresent(s ->
                        evidence.add(
                                EvidenceFigures.limit(
                                        s,
                                        "the listener keeps no more than %.0f half-open connections, as many as its backlog"
                                                .formatted(s.last()))));
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.SYN_RETRANS,
                        End.CLIENT,
                        "the client repeated a SYN %.0f times"::formatted)
                .ifPresent(evidence::add);
        return evidence;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        List<Remedy> remedies = new ArrayList<>();
        observation
                .facts()
                .sysctl(COOKIES, End.SERVER)
                .filter(value -> value.strip().equals("0"))
                .ifPresent(value ->
                        remedies.add(
                                new Remedy(
                                        List.of(
                                                new Change(
                                                        new Setting.OfSysctl(true, COOKIES),
                                                        "0",
                                                        "1")),
                                        "a connection made by cookie has no window scaling without time stamps")));
        remedies.addAll(Backlog.raised(id(), observation, experiment));
        return List.copyOf(remedies);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        List<Advice> advice = new ArrayList<>();
        advice.add(
                new Advice(
                        "sysctl -w " + COOKIES + "=1",
                        "a connection made by cookie has no window scaling without time stamps"));
        advice.addAll(Backlog.advice(observation));
        advice.add(
                new Advice(
                        "find clients that do not complete the handshake: ss -tn state syn-recv; a path that loses answers, or a flood",
                        "your time"));
        return List.copyOf(advice);
    }
}
