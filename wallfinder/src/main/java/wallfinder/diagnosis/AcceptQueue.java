package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The queue of connections that a listener has not yet accepted is full. Linux then silently drops
/// the SYNs of new connections, and the last packet of handshakes under way. The client repeats its
/// SYN after a second (`tcp_conn_request`, net/ipv4/tcp_input.c; `tcp_v4_syn_recv_sock`,
/// net/ipv4/tcp_ipv4.c; `sk_acceptq_is_full`, include/net/sock.h).
public record AcceptQueue() implements Wall {
    /// Repeated handshakes that take a smaller share of the load's time do not limit the rate.
    private static final double LOST_SHARE = 0.1;

    /// The queue must explain this share of the repeated SYNs. It need not explain all: a SYN that
    /// is repeated now may have been dropped before the measurement began.
    private static final double EXPLAINS_SHARE = 1.0 / 3;

    /// A dropped packet makes one answer late. Some answers are late because of a packet that was
    /// dropped just before the measurement.
    private static final double LATE_SHARE = 0.5;

    /// A service may need one descriptor for a connection and one for what it asks on its behalf.
    private static final int DESCRIPTORS_EACH = 2;

    /// With this setting the kernel resets a connection that finds no place in the queue
    /// (`tcp_check_req`, net/ipv4/tcp_minisocks.c).
    private static final String ABORT = "net.ipv4.tcp_abort_on_overflow";

    /// The errors that the client then gets: it considers the connection established until it uses
    /// it.
    private static final List<ErrorKind> RESETS =
            List.of(ErrorKind.CONNECT_RESET, ErrorKind.RESET, ErrorKind.CLOSED);

    @Override
    public WallId id() {
        return WallId.ACCEPT_QUEUE;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        double overflows = overflows(observation);
        long refused = observation.load().errors(ErrorKind.CONNECT_QUEUE_FULL);
        if (refused > 0) {
            return refused(symptoms, refused);
        }
        if (!seen(observation)) {
            return new Judgement.Unknown(this, Missing.SERVER);
        }
        if (overflows <= 0) {
            return new Judgement.Clear(this, "no accept queue overflowed" + longest(observation));
        }
        String cause = others.cause(id());
        if (cause != null) {
            return new Judgement.Clear(
                    this, "it overflowed %.0f times, because %s".formatted(overflows, cause));
        }
        List<Evidence> evidence = evidence(observation, symptoms, overflows);
        Optional<Harm> harm = ownHarm(observation, symptoms, overflows);
        if (harm.isPresent() && !hadDescriptors(observation)) {
            return new Judgement.Near(
                    this,
                    End.SERVER,
                    evidence,
                    "the accept queue overflowed %.0f times, but whether the hidden service had a descriptor to accept with is unknown"
                            .formatted(overflows));
        }
        if (harm.isPresent() || observation.load() instanceof LoadOutcome.Unseen) {
            return new Judgement.Binds(this, End.SERVER, harm.orElse(null), evidence);
        }
        return new Judgement.Near(
                this, End.SERVER, evidence, whyNear(observation, symptoms, overflows));
    }

    @Override
    public boolean seen(Observation observation) {
        return observation.facts().serverWatched() || listenerSeen(observation);
    }

    /// Everybody may read the listeners of the own network and the connections to them.
    static boolean listenerSeen(Observation observation) {
        return observation
                .timeline()
                .all(ListenFigure.DROPS, End.SERVER)
                .anyMatch(drops -> !Double.isNaN(drops.last()));
    }

    /// A service without a descriptor cannot accept, and its queue overflows. Which process a
    /// hidden service is, is unknown. But it had descriptors if all processes of the host had
    /// enough for this load. A count of them would not show that: a service may close all its
    /// connections while it waits for the next attempt to accept.
    private static boolean hadDescriptors(Observation observation) {
        if (observation.facts().serverWatched()) {
            return true;
        }
        double needed = (double) DESCRIPTORS_EACH * observation.load().connections();
        return observation
                .timeline()
                .find(EndFigure.FULLEST_DESCRIPTORS, End.SERVER)
                .flatMap(used ->
                        observation
                                .timeline()
                                .find(EndFigure.FULLEST_LIMIT, End.SERVER)
                                .map(limit -> limit.last() - used.max() >= needed))
                .orElse(false);
    }

    private static Optional<Harm> ownHarm(
            Observation observation, Symptoms symptoms, double overflows) {
        if (symptoms.errorsBegin()
                && overflows >= EXPLAINS_SHARE * resets(observation)
                && resets(observation) > 0
                && together(observation, Harm.ERRORS)) {
            return Optional.of(Harm.ERRORS);
        }
        return overflows < EXPLAINS_SHARE * repeated(observation, symptoms)
                ? Optional.empty()
                : harm(observation, symptoms)
                        .filter(harm -> harm != Harm.ERRORS || together(observation, harm))
                        .or(() -> harmOfLateAnswers(observation, symptoms, overflows));
    }

    /// The harm of handshakes whose last packet was dropped. The client considers the connection
    /// established and sends its request, which the kernel drops, too, until the queue has a place.
    private static Optional<Harm> harmOfLateAnswers(
            Observation observation, Symptoms symptoms, double overflows) {
        double again = sentAgain(observation);
        if (observation.facts().ownCounters(End.CLIENT)
                && overflows < EXPLAINS_SHARE * (again + synsAgain(observation))) {
            return Optional.empty();
        }
        if (observation.load() instanceof LoadOutcome.Command) {
            return again > 0 ? Optional.of(harmOfCommand(symptoms)) : Optional.empty();
        }
        double explained = Math.min(overflows, again) / LATE_SHARE;
        return late(observation, symptoms)
                .filter(late -> late.count() > 0 && late.count() <= explained)
                .flatMap(late -> harm(observation, symptoms, late).stream())
                .findFirst();
    }

    /// The answers later than alone, and those later than most.
    private static Stream<LateAnswers> late(Observation observation, Symptoms symptoms) {
        return Stream.of(symptoms.unloadedNanos(), symptoms.p50Nanos())
                .map(nanos -> LateAnswers.beyond(nanos, observation.load()));
    }

    /// The segments of established connections that the client sent again.
    private static double sentAgain(Observation observation) {
        return Math.max(
                0,
                observation.timeline().growth(KernelCounter.RETRANSMITS, End.CLIENT)
                        - synsAgain(observation));
    }

    private static double synsAgain(Observation observation) {
        return observation.timeline().growth(KernelCounter.SYN_RETRANS, End.CLIENT);
    }

    /// Only errors occur at a known time: the other figures show a repeated handshake when it ends.
    private static boolean together(Observation observation, Harm harm) {
        return !observation.facts().ownCounters(End.SERVER)
                || HarmTiming.together(
                        observation,
                        KernelCounter.LISTEN_OVERFLOWS,
                        End.SERVER,
                        harm,
                        HarmTiming.REPEATED_NANOS);
    }

    /// Connections that the client lost to resets, if the kernel resets them when a queue is full.
    private static long resets(Observation observation) {
        boolean aborts =
                EvidenceFigures.sysctl(observation, ABORT, End.SERVER) > 0
                        || observation.timeline().growth(KernelCounter.EMBRYONIC_RESETS, End.SERVER)
                                > 0;
        return aborts
                ? RESETS.stream().mapToLong(kind -> observation.load().errors(kind)).sum()
                : 0;
    }

    /// The SYNs that the client repeated, from its counter. Without one: the slow or failed
    /// connects.
    private static double repeated(Observation observation, Symptoms symptoms) {
        double syns = observation.timeline().growth(KernelCounter.SYN_RETRANS, End.CLIENT);
        long timeouts = observation.load().errors(ErrorKind.CONNECT_TIMEOUT);
        return observation.facts().ownCounters(End.CLIENT) && syns > 0
                ? syns
                : symptoms.slowConnects() + timeouts;
    }

    private static String whyNear(Observation observation, Symptoms symptoms, double overflows) {
        double repeated = repeated(observation, symptoms);
        String says = "the accept queue overflowed %.0f times".formatted(overflows);
        return overflows < EXPLAINS_SHARE * repeated
                ? says + ", which does not explain %.0f repeated handshakes".formatted(repeated)
                : says + ", without harm to this load";
    }

    /// A unix socket's full queue refuses the client at once (`unix_stream_connect`,
    /// net/unix/af_unix.c).
    private Judgement refused(Symptoms symptoms, long refused) {
        String says = "%d connects were refused because the queue was full".formatted(refused);
        List<Evidence> evidence =
                List.of(
                        EvidenceFigures.seen(
                                "connects that gave EAGAIN",
                                End.CLIENT,
                                refused,
                                "generator",
                                says));
        return symptoms.errorsBegin()
                ? new Judgement.Binds(this, End.SERVER, Harm.ERRORS, evidence)
                : new Judgement.Near(this, End.SERVER, evidence, says);
    }

    /// The harm that repeated handshakes do.
    static Optional<Harm> harm(Observation observation, Symptoms symptoms) {
        return switch (observation.load()) {
            case LoadOutcome.Command _ -> harmOfCommand(observation, symptoms);
            case LoadOutcome.Driven _, LoadOutcome.Unseen _ -> harmOfLoad(observation, symptoms);
        };
    }

    private static Optional<Harm> harmOfCommand(Observation observation, Symptoms symptoms) {
        return synsAgain(observation) > 0 ? Optional.of(harmOfCommand(symptoms)) : Optional.empty();
    }

    private static Harm harmOfCommand(Symptoms symptoms) {
        return symptoms.cpuSaturated() ? Harm.LATENCY : Harm.THROUGHPUT;
    }

    private static Optional<Harm> harmOfLoad(Observation observation, Symptoms symptoms) {
        long timeouts = observation.load().errors(ErrorKind.CONNECT_TIMEOUT);
        if (timeouts > 0 && symptoms.errorsBegin()) {
            return Optional.of(Harm.ERRORS);
        }
        if (symptoms.slowConnects() == 0) {
            return Optional.empty();
        }
        boolean lost = lost(symptoms, symptoms.slowConnectShare());
        if (lost && idle(observation, symptoms)) {
            return Optional.of(Harm.THROUGHPUT);
        }
        // Fewer slow connects cannot make one answer in a hundred slow.
        boolean many =
                symptoms.slowConnects() >= LateAnswers.TAIL_SHARE * observation.load().answered();
        boolean tail = symptoms.p99Nanos() >= Symptoms.SLOW_CONNECT_NANOS || symptoms.tailJumps();
        return lost || (many && tail) ? Optional.of(Harm.LATENCY) : Optional.empty();
    }

    private static Optional<Harm> harm(
            Observation observation, Symptoms symptoms, LateAnswers late) {
        boolean lost = lost(symptoms, late.timeShare());
        if (lost
                && idle(observation, symptoms)
                && !late.mostWaitElsewhere(observation.load(), symptoms)) {
            return Optional.of(Harm.THROUGHPUT);
        }
        boolean tail = late.share() >= LateAnswers.TAIL_SHARE;
        return lost || tail ? Optional.of(Harm.LATENCY) : Optional.empty();
    }

    /// A closed loop's percentiles leave out connections that still repeat their handshake.
    private static boolean lost(Symptoms symptoms, double share) {
        return share + symptoms.unansweredShare() >= LOST_SHARE;
    }

    private static boolean idle(Observation observation, Symptoms symptoms) {
        return observation.facts().serverWatched() && !symptoms.cpuSaturated();
    }

    private static List<Evidence> evidence(
            Observation observation, Symptoms symptoms, double overflows) {
        List<Evidence> evidence = new ArrayList<>();
        if (observation.facts().ownCounters(End.SERVER)) {
            observation
                    .timeline()
                    .find(KernelCounter.LISTEN_OVERFLOWS, End.SERVER)
                    .ifPresent(s ->
                            evidence.add(
                                    EvidenceFigures.growth(
                                            s,
                                            "a handshake was dropped %.0f times because a listener's queue was full"
                                                    .formatted(overflows))));
        }
        for (Series limit : observation.timeline().all(ListenFigure.LIMIT, End.SERVER).toList()) {
            queueEvidence(observation, limit).ifPresent(evidence::add);
        }
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.SYN_RETRANS,
                        End.CLIENT,
                        (client(observation) + " repeated a SYN %.0f times")::formatted)
                .ifPresent(evidence::add);
        if (sentAgain(observation) > 0) {
            evidence.addAll(evidenceOfLateAnswers(observation, symptoms));
        }
        if (resets(observation) > 0) {
            evidence.add(
                    EvidenceFigures.seen(
                            "connections that were reset",
                            End.CLIENT,
                            resets(observation),
                            "generator",
                            "%d connections were reset or closed, as the kernel does for a full queue with %s"
                                    .formatted(resets(observation), ABORT)));
        }
        if (symptoms.slowConnects() > 0) {
            evidence.add(
                    EvidenceFigures.seen(
                            "connects of 0.9 s or more",
                            End.CLIENT,
                            symptoms.slowConnects(),
                            "generator",
                            "%d connects took 0.9 s or more: the steps in which Linux repeats a handshake"
                                    .formatted(symptoms.slowConnects())));
        }
        if (symptoms.leavesUnanswered()) {
            evidence.add(EvidenceFigures.unanswered(observation, symptoms));
        }
        return evidence;
    }

    /// Whom the kernel's counters at the client's end belong to.
    private static String client(Observation observation) {
        return observation.facts().ownCounters(End.CLIENT)
                ? "the client"
                : "the programs of the client's host";
    }

    private static List<Evidence> evidenceOfLateAnswers(
            Observation observation, Symptoms symptoms) {
        List<Evidence> evidence = new ArrayList<>();
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.RETRANSMITS,
                        End.CLIENT,
                        again ->
                                "%s retransmitted %.0f segments; %.0f of them began a handshake"
                                        .formatted(
                                                client(observation), again, synsAgain(observation)))
                .ifPresent(evidence::add);
        late(observation, symptoms)
                .findFirst()
                .map(late -> Math.round(late.count()))
                .filter(late -> late > 0)
                .map(late ->
                        EvidenceFigures.seen(
                                "late answers",
                                End.CLIENT,
                                late,
                                "generator",
                                "%d answers took at least 190 ms longer than one alone, or timed out; TCP waits 200 ms before it retransmits"
                                        .formatted(late)))
                .ifPresent(evidence::add);
        return evidence;
    }

    private static Optional<Evidence> queueEvidence(Observation observation, Series limit) {
        double drops =
                observation.timeline().growth(ListenFigure.DROPS.of(limit.subject()), End.SERVER);
        if (drops <= 0 && observation.timeline().all(ListenFigure.LIMIT, End.SERVER).count() > 1) {
            return Optional.empty();
        }
        return observation
                .timeline()
                .beside(limit, ListenFigure.QUEUE)
                .map(queue ->
                        EvidenceFigures.largest(
                                queue,
                                limit.last(),
                                describe(queue, limit, drops)
                                        + SharedPort.of(observation, limit)
                                                .map(port -> ": " + port.says())
                                                .orElse("")));
    }

    private static String describe(Series queue, Series limit, double drops) {
        String seen =
                Double.isNaN(queue.max())
                        ? "their number was not read"
                        : "%.0f were seen waiting".formatted(queue.max());
        return "the limit of the listener's queue is %.0f connections; %s, and %.0f were dropped"
                .formatted(limit.last(), seen, drops);
    }

    /// Clients repeat a dropped handshake only after seconds. If nobody accepts, the queue is
    /// always full but seldom overflows.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        double lasted = 0;
        for (Series limit : observation.timeline().all(ListenFigure.LIMIT, End.SERVER).toList()) {
            Optional<Series> drops = observation.timeline().beside(limit, ListenFigure.DROPS);
            if (drops.isPresent() && drops.get().growth() > 0) {
                lasted = Math.max(lasted, WatchedJudgement.growing(drops.get(), observation));
                lasted = Math.max(lasted, full(observation, limit));
            }
        }
        return lasted;
    }

    private static double full(Observation observation, Series limit) {
        return observation
                .timeline()
                .beside(limit, ListenFigure.QUEUE)
                .map(s -> WatchedJudgement.share(s, queue -> queue >= limit.last()))
                .orElse(0.0);
    }

    /// The host's counter covers all of its services. A listener's drops are its own, but also
    /// count handshakes that its queue of half-open connections dropped.
    static double overflows(Observation observation) {
        double counted = observation.timeline().growth(KernelCounter.LISTEN_OVERFLOWS, End.SERVER);
        if (observation.facts().ownCounters(End.SERVER)) {
            return counted;
        }
        boolean read =
                EvidenceFigures.find(observation, KernelCounter.LISTEN_OVERFLOWS, End.SERVER)
                        .isPresent();
        double drops = listenerDrops(observation);
        return read ? Math.min(drops, counted) : drops;
    }

    static double listenerDrops(Observation observation) {
        return observation
                .timeline()
                .all(ListenFigure.DROPS, End.SERVER)
                .mapToDouble(s -> Math.max(0, s.growth()))
                .sum();
    }

    private static String longest(Observation observation) {
        return observation
                .timeline()
                .all(ListenFigure.LIMIT, End.SERVER)
                .findFirst()
                .map(limit ->
                        ": %.0f of %.0f places were seen in use"
                                .formatted(
                                        observation
                                                .timeline()
                                                .beside(limit, ListenFigure.QUEUE)
                                                .map(Series::max)
                                                .orElse(0.0),
                                        limit.last()))
                .orElse("");
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Backlog.raised(id(), observation, experiment);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        List<Advice> advice = new ArrayList<>();
        observation
                .timeline()
                .all(ListenFigure.LIMIT, End.SERVER)
                .flatMap(limit -> SharedPort.of(observation, limit).stream())
                .filter(SharedPort::uneven)
                .map(SharedPort::advice)
                .findFirst()
                .ifPresent(advice::add);
        advice.addAll(Backlog.advice(observation));
        return List.copyOf(advice);
    }
}
