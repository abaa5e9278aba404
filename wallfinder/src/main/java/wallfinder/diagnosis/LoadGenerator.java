package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// Our own engine was the limit: its CPU, its ports or its descriptors. The figures then say how
/// fast the generator is, and the service can do at least that.
public record LoadGenerator() implements Wall {
    /// Threads that hardly ever wait for an answer are what the service waits for.
    private static final double IDLE_SHARE_MIN = 0.05;

    /// Threads that wait this much for a CPU send late.
    static final double WAITING_SHARE_MAX = 0.25;

    /// Late threads that still wait for answers this much leave something to judge the service by.
    private static final double IDLE_SHARE_TO_JUDGE = 0.5;

    /// The shares of a shorter load are those of its own start: the threads that begin, the code
    /// that is not compiled yet. What ran out is told all the same.
    private static final double SECONDS_TO_JUDGE = 0.5;

    /// Whether something else took the generator's CPUs: then its figures are worth nothing, and
    /// measuring again may help.
    public static boolean starved(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Driven driven -> driven.generator().waitingShare() > WAITING_SHARE_MAX;
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> false;
        };
    }

    /// A request sent later than this was not sent when it was due.
    private static final double LATE_NANOS_MAX = 1e6;

    /// Lateness that is a smaller part of the response time does not spoil it.
    private static final double LATE_SHARE_MAX = 0.1;

    /// Fewer requests say nothing of one in a hundred.
    private static final long LATE_COUNT_MIN = 100;

    @Override
    public WallId id() {
        return WallId.LOAD_GENERATOR;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        return switch (observation.load()) {
            case LoadOutcome.Driven load -> judge(load, symptoms);
            case LoadOutcome.Command _ ->
                    new Judgement.Clear(this, "the load is a command: it is under study itself");
            case LoadOutcome.Unseen _ ->
                    new Judgement.Clear(this, "the load is not ours: nothing was driven");
        };
    }

    private Judgement judge(LoadOutcome.Driven load, Symptoms symptoms) {
        LoadOutcome.Generator generator = load.generator();
        List<Evidence> evidence = exhausted(generator);
        if (load.seconds() >= SECONDS_TO_JUDGE) {
            shares(generator, symptoms, evidence);
        }
        boolean onlyLate = evidence.isEmpty();
        switch (load) {
            case LoadOutcome.Requests requests -> late(requests, evidence);
            case LoadOutcome.Held _ -> {} // a doubt about the response times, and no more
        }
        if (evidence.isEmpty()) {
            return new Judgement.Clear(
                    this,
                    "its %d thread(s) waited for answers in %s of the time"
                            .formatted(
                                    generator.threads(),
                                    EvidenceFigures.percent(generator.idleShare())));
        }
        Harm harm = generator.exhausted().isEmpty() ? Harm.THROUGHPUT : Harm.ERRORS;
        return new Judgement.Binds(this, End.CLIENT, onlyLate ? Harm.LATENCY : harm, evidence);
    }

    /// In an open loop, requests that found an idle connection were sent as late as the generator
    /// is.
    private static void late(LoadOutcome.Requests load, List<Evidence> evidence) {
        double late = lateNanos(load);
        double max = lateNanosMax(load);
        if (late > max) {
            evidence.add(
                    EvidenceFigures.measured(
                            "generator.lateMillis",
                            late / 1e6,
                            max / 1e6,
                            "generator",
                            "of the requests that found an idle connection, one in a hundred was sent %s late or more"
                                    .formatted(EvidenceFigures.millis(late))));
        }
    }

    /// By how much one request in a hundred was sent late, 0 where too few tell it.
    static double lateNanos(LoadOutcome.Driven load) {
        return load.loop() instanceof LoadOutcome.Loop.Open open
                        && open.lateNanos().getTotalCount() >= LATE_COUNT_MIN
                ? open.lateNanos().getValueAtPercentile(99)
                : 0;
    }

    /// More than this spoils the response times.
    static double lateNanosMax(LoadOutcome load) {
        double tail = load.responseNanos().getValueAtPercentile(99);
        return Math.max(LATE_NANOS_MAX, LATE_SHARE_MAX * tail);
    }

    private static List<Evidence> exhausted(LoadOutcome.Generator generator) {
        List<Evidence> evidence = new ArrayList<>();
        for (Map.Entry<String, Long> entry : generator.exhausted().entrySet()) {
            evidence.add(
                    EvidenceFigures.seen(
                            "generator." + entry.getKey(),
                            End.CLIENT,
                            entry.getValue(),
                            "generator",
                            "the generator ran out of %s %d times"
                                    .formatted(entry.getKey(), entry.getValue())));
        }
        return evidence;
    }

    /// A service that never sleeps does not wait for the generator. Where neither sleeps, the one
    /// whose thread had more of a CPU is what the other waits for.
    private static boolean busierThan(LoadOutcome.Generator generator, Symptoms symptoms) {
        double generatorShare = 1 - generator.idleShare() - generator.waitingShare();
        return symptoms.cpu().neverSleeps() && symptoms.cpu().busiestShare() > generatorShare;
    }

    private static void shares(
            LoadOutcome.Generator generator, Symptoms symptoms, List<Evidence> evidence) {
        boolean bends = symptoms.surelyBends() && !busierThan(generator, symptoms);
        if (bends && generator.idleShare() < IDLE_SHARE_MIN) {
            evidence.add(
                    EvidenceFigures.measured(
                            "generator.idleShare",
                            generator.idleShare(),
                            IDLE_SHARE_MIN,
                            "/proc/self/task/TID/schedstat",
                            "the generator's threads waited for answers in only %s of the time"
                                    .formatted(EvidenceFigures.percent(generator.idleShare()))));
        }
        if (generator.waitingShare() > WAITING_SHARE_MAX && explainsBend(generator, symptoms)) {
            evidence.add(
                    EvidenceFigures.measured(
                            "generator.waitingShare",
                            generator.waitingShare(),
                            WAITING_SHARE_MAX,
                            "/proc/self/task/TID/schedstat",
                            "the generator's threads waited for a CPU in %s of the time"
                                    .formatted(EvidenceFigures.percent(generator.waitingShare()))));
        }
    }

    /// A service without CPU left always has a request to work on, and loses nothing by a late
    /// generator. Otherwise a generator that were never late would save at most the time in which
    /// it does not wait for answers; a bend that is left without that time is the service's own.
    /// Where that is most of the time, nothing is left to judge by.
    private static boolean explainsBend(LoadOutcome.Generator generator, Symptoms symptoms) {
        double own = symptoms.meanNanos() * generator.idleShare();
        boolean bendIsLeft =
                generator.idleShare() >= IDLE_SHARE_TO_JUDGE
                        && own >= Symptoms.BEND * symptoms.unloadedNanos();
        return symptoms.surelyBends() && !symptoms.cpuSaturated() && !bendIsLeft;
    }

    @Override
    public boolean seenAtServer() {
        return false;
    }

    /// What ran out failed requests of its own.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return binds.harm() == Harm.ERRORS ? Proof.ERRORS : Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        List<Advice> advice = new ArrayList<>(ofWhatRanOut(observation.load()));
        if (starved(observation.load())) {
            advice.add(
                    new Advice(
                            "leave the generator a CPU of its own: end what else runs, or pin the service elsewhere"
                                    + " (taskset -cp CPUS PID)",
                            "that CPU"));
        } else if (advice.isEmpty()) {
            advice.add(
                    new Advice(
                            "more generator threads (-t), as far as there are CPUs for them",
                            "CPUs"));
            advice.add(
                    new Advice(
                            "a lower rate (-R) where requests were sent late: the service then gets what it is asked",
                            "the figures are of that rate"));
        }
        advice.add(new Advice("run the generator on another host than the service", "a host"));
        return advice;
    }

    private static List<Advice> ofWhatRanOut(LoadOutcome load) {
        Map<String, Long> exhausted =
                load instanceof LoadOutcome.Driven driven
                        ? driven.generator().exhausted()
                        : Map.of();
        List<Advice> advice = new ArrayList<>();
        if (exhausted.containsKey("ports")) {
            advice.add(
                    new Advice(
                            "more source addresses (--source A-B): each has the whole range of ports",
                            "those addresses"));
        }
        if (exhausted.containsKey("descriptors")) {
            advice.add(
                    new Advice(
                            "more generator threads (-t): each can have descriptors of its own; or raise ulimit -n",
                            "none"));
        }
        if (exhausted.containsKey("epoll watches")) {
            advice.add(
                    new Advice(
                            "sysctl -w fs.epoll.max_user_watches=N, one for each connection",
                            "some 160 bytes of the kernel's memory for each that is used"));
        }
        return advice;
    }
}
