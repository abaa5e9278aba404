package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The service works on a fixed number of requests at a time, in workers that mostly wait. The
/// others wait to be accepted or read. Possible causes are a small thread pool and blocked event
/// loops. By Little's law, the number is the throughput times the time of one request without load.
///
/// If a worker belongs to one connection for its whole life, the other connections wait for ever:
/// some are answered as fast as without load, and the service never reads from the rest.
public record ServerConcurrency() implements Wall {
    /// In an open loop this share of the requests must find all connections busy.
    private static final double WAITED_SHARE_MIN = 0.5;

    /// A service that answers nobody for this share of the time is stopped; it does not queue.
    private static final double STILL_SHARE_MAX = 0.25;

    /// The connections with unread data are the unanswered ones if the smaller number has this
    /// share of the larger one. A connection whose request was read and forgotten has no unread
    /// data. If far more have unread data, they take turns.
    private static final double SAME_SHARE = 0.5;

    /// The count is taken at most once a second, and a busy moment proves nothing.
    private static final double UNREAD_TIME_SHARE = 0.3;

    private static final Advice ADVICE_UNREAD =
            new Advice(
                    "give each worker a request instead of a connection (an event loop, virtual"
                            + " threads), or close kept connections sooner",
                    "code changes, or more new connections");

    private static final Advice ADVICE_WAITING =
            new Advice(
                    "find what the workers wait for (jcmd PID Thread.print), and do not block them",
                    "your time");

    private static final String PRICE = "memory and contention of more workers";

    @Override
    public WallId id() {
        return WallId.SERVER_CONCURRENCY;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        return leftUnread(observation, symptoms)
                .map(unread -> ofConnections(observation, symptoms, others, unread))
                .orElseGet(() -> ofRequests(observation, symptoms, others));
    }

    private Judgement ofConnections(
            Observation observation, Symptoms symptoms, Judgements others, Series unread) {
        String not = contradictionInside(observation, symptoms, others);
        return not == null
                ? new Judgement.Binds(
                        this,
                        End.SERVER,
                        Harm.ERRORS,
                        evidenceUnread(observation, symptoms, unread))
                : new Judgement.Clear(this, not);
    }

    private Judgement ofRequests(Observation observation, Symptoms symptoms, Judgements others) {
        Judgement unknown = unknown(this, observation);
        if (unknown != null) {
            return unknown;
        }
        String not = contradiction(observation, symptoms, others);
        if (not != null) {
            return new Judgement.Clear(this, not);
        }
        if (others.of(WallId.CLIENT_CONNECTIONS) instanceof Judgement.Binds) {
            return new Judgement.Clear(
                    this, "the time was lost waiting for a connection of its own client");
        }
        Optional<Queued> queued = Queued.of(observation, symptoms);
        if (queued.isEmpty()) {
            return new Judgement.Unknown(this, Missing.READINGS);
        }
        if (!queued.get().isCause()) {
            return new Judgement.Clear(this, queued.get().describe());
        }
        if (!queued.get().workersWait()) {
            return new Judgement.Clear(this, queued.get().describeWork());
        }
        List<Evidence> evidence = new ArrayList<>(queued.get().evidence());
        evidence.addAll(evidence(observation, symptoms));
        return new Judgement.Binds(this, End.SERVER, Harm.THROUGHPUT, List.copyOf(evidence));
    }

    /// The time in which a request waits for a worker: its connection lies in the accept queue, or
    /// its bytes lie unread in the socket.
    ///
    /// @param acceptMicros in the accept queue
    /// @param unreadMicros in the socket
    /// @param extraMicros by which an answer takes longer than alone
    /// @param workMicros the rest of the time of an answer
    /// @param runMicros the part of the work in which threads run or wait for a CPU
    private record Queued(
            double acceptMicros,
            double unreadMicros,
            double extraMicros,
            double workMicros,
            double runMicros) {
        /// Of the extra time; the rest may be the work of other requests.
        private static final double CAUSE_SHARE = 0.5;

        /// Workers that mostly run are as many as the CPUs allow.
        private static final double WAIT_SHARE = 0.5;

        /// The waits come from samples of connections, so a rest that is a smaller part of the
        /// response may be their error. The work is then taken to be as long as alone.
        private static final double SAMPLES_ERROR = 0.05;

        /// The network, the kernel and the generator take this part of the work at most.
        private static final double OUTSIDE_MICROS = 200;

        static Optional<Queued> of(Observation observation, Symptoms symptoms) {
            return Budget.of(observation)
                    .map(Budget::loaded)
                    .filter(loaded -> loaded.has(Budget.Part.UNREAD))
                    .map(loaded -> of(loaded, symptoms.unloadedNanos() / 1e3));
        }

        private static Queued of(Budget.Parts loaded, double aloneMicros) {
            double accept = loaded.micros(Budget.Part.ACCEPT.word());
            double unread = loaded.micros(Budget.Part.UNREAD.word());
            double rest = loaded.responseMicros() - accept - unread;
            boolean isLost = rest < SAMPLES_ERROR * loaded.responseMicros();
            return new Queued(
                    accept,
                    unread,
                    loaded.responseMicros() - aloneMicros,
                    isLost ? aloneMicros : rest,
                    loaded.micros(Budget.Part.RUN.word())
                            + loaded.micros(Budget.Part.RUNNABLE.word()));
        }

        boolean isCause() {
            return acceptMicros + unreadMicros >= CAUSE_SHARE * extraMicros;
        }

        boolean workersWait() {
            return workMicros - runMicros - OUTSIDE_MICROS >= WAIT_SHARE * workMicros;
        }

        String describeWork() {
            return "the workers run, or wait for a CPU, for %s of the %s that they work on an answer"
                    .formatted(
                            EvidenceFigures.millis(1e3 * runMicros),
                            EvidenceFigures.millis(1e3 * workMicros));
        }

        String describe() {
            return "of the %s by which an answer takes longer than alone, it waited %s to be accepted and %s to be read"
                    .formatted(
                            EvidenceFigures.millis(1e3 * extraMicros),
                            EvidenceFigures.millis(1e3 * acceptMicros),
                            EvidenceFigures.millis(1e3 * unreadMicros));
        }

        List<Evidence> evidence() {
            boolean accept = acceptMicros > unreadMicros;
            return List.of(
                    new Evidence(
                            new Key.Derived(
                                    "budget."
                                            + (accept ? Budget.Part.ACCEPT : Budget.Part.UNREAD)
                                                    .word()),
                            End.SERVER,
                            Basis.DERIVED,
                            null,
                            accept ? acceptMicros : unreadMicros,
                            null,
                            "derived by Little's law: %s / answers per second"
                                    .formatted(
                                            accept
                                                    ? "connections in the accept queue"
                                                    : "connections with unread bytes"),
                            describe()));
        }
    }

    /// The unread connections, if the service answers only the others.
    private Optional<Series> leftUnread(Observation observation, Symptoms symptoms) {
        double unanswered = symptoms.unanswered();
        return unknown(this, observation) != null || !symptoms.leavesUnanswered()
                ? Optional.empty()
                : observation
                        .timeline()
                        .all(ListenFigure.UNREAD, End.SERVER)
                        .filter(unread ->
                                WatchedJudgement.share(unread, count -> areSame(count, unanswered))
                                        >= UNREAD_TIME_SHARE)
                        .findFirst();
    }

    private static boolean areSame(double one, double other) {
        return Math.min(one, other) >= SAME_SHARE * Math.max(one, other);
    }

    /// Returns null if a wall inside the service can be judged.
    static Judgement.@Nullable Unknown unknown(Wall wall, Observation observation) {
        return switch (observation.load()) {
            case LoadOutcome.Unseen _ -> new Judgement.Unknown(wall, Missing.CLIENT);
            case LoadOutcome.Command _ ->
                    new Judgement.Unknown(
                            wall,
                            Missing.ANSWERS,
                            "the load is a command: its latency is not known");
            case LoadOutcome.Driven _ when !observation.facts().serverWatched() ->
                    new Judgement.Unknown(wall, Missing.SERVER);
            case LoadOutcome.Driven load when load.answered() == 0 ->
                    new Judgement.Unknown(wall, Missing.GOOD_ANSWERS);
            case LoadOutcome.Driven _ -> null;
        };
    }

    /// The reason why this is not the wall, or null.
    static @Nullable String contradiction(
            Observation observation, Symptoms symptoms, Judgements others) {
        if (!symptoms.surelyBends()
                && Starvation.of(observation, symptoms).filter(Starvation::isProven).isEmpty()) {
            return notSlower(observation, symptoms);
        }
        if (observation.load() instanceof LoadOutcome.Driven load
                && load.loop() instanceof Loop.Open open
                && open.waited() < WAITED_SHARE_MIN * load.sent()) {
            return "mostly some connections were idle: %s of the requests came due while all %d were busy"
                    .formatted(
                            EvidenceFigures.percent((double) open.waited() / load.sent()),
                            load.connections());
        }
        return contradictionInside(observation, symptoms, others);
    }

    /// The latency of most answers need not grow if the workers prefer some connections.
    private static String notSlower(Observation observation, Symptoms symptoms) {
        String same =
                "the latency did not grow with the connections: %s under load, %s alone"
                        .formatted(
                                EvidenceFigures.millis(symptoms.meanNanos()),
                                EvidenceFigures.millis(symptoms.unloadedNanos()));
        return Starvation.of(observation, symptoms)
                .map(starvation ->
                        "a connection waits %s for an answer on average, but only %s"
                                .formatted(
                                        EvidenceFigures.millis(starvation.waitNanos()),
                                        starvation.says(observation)))
                .orElse(same);
    }

    /// The reason why requests do not wait inside the service, or null.
    private static @Nullable String contradictionInside(
            Observation observation, Symptoms symptoms, Judgements others) {
        if (symptoms.cpuSaturated() && !CpuQuota.mostlyStops(observation)) {
            return "the CPU was busy: "
                    + symptoms.cpu().describe()
                    + CpuEvidence.lost(symptoms.cpu());
        }
        if (observation.load() instanceof LoadOutcome.Driven load
                && load.loop() instanceof Loop.Lockstep
                && symptoms.meanNanos() < Symptoms.BEND * explainedNanos(symptoms)) {
            return "a batch takes about as long as its CPU time: %s"
                    .formatted(EvidenceFigures.millis(explainedNanos(symptoms)));
        }
        String elsewhere = elsewhere(observation, others);
        if (elsewhere == null && symptoms.stillShare() > STILL_SHARE_MAX) {
            return "it answered nobody at all in %s of the time"
                    .formatted(EvidenceFigures.percent(symptoms.stillShare()));
        }
        return elsewhere;
    }

    /// Another wall for which the requests waited, or null.
    private static @Nullable String elsewhere(Observation observation, Judgements others) {
        return CpuQuota.mostlyStops(observation)
                ? "the CPU quota stopped the service"
                : others.cause(WallId.SERVER_CONCURRENCY);
    }

    /// In lockstep, a batch takes the time of one request plus the CPU time of all requests.
    private static double explainedNanos(Symptoms symptoms) {
        double cpuNanosPerBatch = symptoms.cpu().share() * symptoms.meanNanos();
        return symptoms.unloadedNanos() + cpuNanosPerBatch;
    }

    static List<Evidence> evidence(Observation observation, Symptoms symptoms) {
        LoadOutcome load = observation.load();
        List<Evidence> evidence = new ArrayList<>();
        String how = "latency of one request alone";
        evidence.add(atWork(load, "requests", symptoms.unloadedNanos(), how));
        if (symptoms.surelyBends()) {
            evidence.add(grown(symptoms));
        } else {
            Starvation.of(observation, symptoms)
                    .map(starvation -> starvation.evidence(observation, symptoms))
                    .ifPresent(evidence::addAll);
        }
        evidence.addAll(CpuEvidence.used(observation, End.SERVER));
        return evidence;
    }

    private static Evidence grown(Symptoms symptoms) {
        return new Evidence(
                new Key.Derived("response time"),
                End.CLIENT,
                Basis.LOAD,
                symptoms.unloadedNanos() / 1e3,
                symptoms.meanNanos() / 1e3,
                null,
                "generator",
                "the mean response time grew from %s alone to %s"
                        .formatted(
                                EvidenceFigures.millis(symptoms.unloadedNanos()),
                                EvidenceFigures.millis(symptoms.meanNanos())));
    }

    private static List<Evidence> evidenceUnread(
            Observation observation, Symptoms symptoms, Series unread) {
        LoadOutcome load = observation.load();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(atWork(load, "connections", symptoms.meanNanos(), "response time"));
        evidence.add(EvidenceFigures.unanswered(observation, symptoms));
        evidence.add(
                EvidenceFigures.largest(
                        unread,
                        null,
                        "%.0f connections had data that the service did not read"
                                .formatted(unread.max())));
        evidence.addAll(CpuEvidence.used(observation, End.SERVER));
        return evidence;
    }

    private static Evidence atWork(LoadOutcome load, String what, double nanos, String how) {
        double atOnce = load.throughput() * nanos / 1e9;
        return EvidenceFigures.against(
                what + " at work at once",
                End.SERVER,
                atOnce,
                load.connections(),
                "derived by Little's law: throughput x " + how,
                "%.0f/s of %s each: it works on about %.1f %s at a time, and %d connections ask"
                        .formatted(
                                load.throughput(),
                                EvidenceFigures.millis(nanos),
                                atOnce,
                                what,
                                load.connections()));
    }

    /// Connections that the service never reads stay unanswered at any rate.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return binds.harm() == Harm.ERRORS ? Proof.ERRORS : Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Remedy.raisingKnobs(experiment, id(), PRICE, knob -> asked(experiment, observation));
    }

    /// One worker for each connection; the experiment may use more connections than the trial did.
    static long asked(Experiment experiment, Observation observation) {
        int now = observation.load().connections();
        return experiment.load() instanceof LoadSpec.Http http
                ? Math.max(now, http.connections())
                : now;
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        boolean unread =
                binds.evidence().stream().anyMatch(e -> e.subject(ListenFigure.UNREAD).isPresent());
        return List.of(
                unread ? ADVICE_UNREAD : ADVICE_WAITING,
                new Advice(
                        "raise the pool of these workers",
                        "memory and contention of more workers"));
    }
}
