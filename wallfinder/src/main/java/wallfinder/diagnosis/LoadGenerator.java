package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Observation;

/// The load generator was the limit: its CPU, its ports or its descriptors. The figures then show
/// the generator's speed; the service can do at least as much.
public record LoadGenerator() implements Wall {
    /// If the generator's threads hardly ever wait for an answer, the service waits for them.
    private static final double IDLE_SHARE_MIN = 0.05;

    /// Threads that wait for a CPU for this share of the time send late.
    static final double WAITING_SHARE_MAX = 0.25;

    /// If late threads still wait for answers for this share of the time, the service can be
    /// judged.
    private static final double IDLE_SHARE_TO_JUDGE = 0.5;

    /// In a shorter load, threads still start and code is not yet compiled, so the shares mean
    /// nothing. Exhausted resources still count.
    private static final double SECONDS_TO_JUDGE = 0.5;

    /// Whether other programs took the generator's CPUs. Its figures are then worthless, and
    /// another measurement may help.
    public static boolean starved(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Driven driven ->
                    generators(driven).stream()
                            .anyMatch(one -> one.generator.waitingShare() > WAITING_SHARE_MAX);
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> false;
        };
    }

    /// A request sent later than this was late.
    private static final double LATE_NANOS_MAX = 1e6;

    /// Lateness below this share of the response time does not spoil it.
    private static final double LATE_SHARE_MAX = 0.1;

    /// With fewer requests, the 99th percentile means nothing.
    private static final long LATE_COUNT_MIN = 100;

    /// A larger share of late requests spoils the 99th percentile.
    private static final double LATE_REQUESTS_MAX = 0.01;

    /// The longest pause of a connection that could not be opened.
    private static final double RETRY_SECONDS_MAX = 0.064;

    /// The quantile of the normal distribution for an error rate of 2.5 %.
    private static final double DEVIATIONS = 1.96;

    @Override
    public WallId id() {
        return WallId.LOAD_GENERATOR;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        return switch (observation.load()) {
            case LoadOutcome.Driven load -> judge(load, observation, symptoms);
            case LoadOutcome.Command _ ->
                    new Judgement.Clear(this, "the load is a command, which is itself under study");
            case LoadOutcome.Unseen _ ->
                    new Judgement.Clear(this, "other programs drove the load, not this generator");
        };
    }

    /// One generator, and how late it sent; of several hosts, one with its name.
    private record One(@Nullable String host, LoadOutcome.Generator generator, Histogram late) {
        Evidence named(Evidence evidence) {
            return host == null
                    ? evidence
                    : new Evidence(
                            evidence.counter(),
                            evidence.end(),
                            evidence.basis(),
                            evidence.before(),
                            evidence.after(),
                            evidence.limit(),
                            evidence.source() + " on " + host,
                            "on " + host + ": " + evidence.says());
        }
    }

    private static List<One> generators(LoadOutcome.Driven load) {
        List<LoadPart> parts = load.engine().parts();
        return parts.isEmpty()
                ? List.of(new One(null, load.generator(), lateNanosOf(load)))
                : parts.stream()
                        .map(part -> new One(part.host(), part.generator(), part.lateNanos()))
                        .toList();
    }

    private static Histogram lateNanosOf(LoadOutcome.Driven load) {
        return load.loop() instanceof LoadOutcome.Loop.Open open
                ? open.lateNanos()
                : new Histogram(2);
    }

    /// Why a host was the limit of a load that several generated; null if it was not.
    public static @Nullable String limitOf(LoadPart part, Observation observation) {
        if (!(observation.load() instanceof LoadOutcome.Driven load)) {
            return null;
        }
        One one = new One(null, part.generator(), part.lateNanos());
        Limit limit = limit(one, load, 0, Symptoms.of(observation));
        return limit.evidence.isEmpty() ? null : limit.evidence.getFirst().says();
    }

    /// @param onlyLate whether nothing but its lateness shows it
    private record Limit(List<Evidence> evidence, boolean onlyLate) {}

    /// Of several hosts, each may run out too seldom to matter, but not all of them together.
    ///
    /// @param stolen the share of the time in which the hypervisor had the CPU of a thread that ran
    private static Limit limit(One one, LoadOutcome.Driven load, double stolen, Symptoms symptoms) {
        List<Evidence> evidence = new ArrayList<>();
        if (exhaustionHarms(load.generator(), load)) {
            evidence.addAll(exhausted(one.generator));
        }
        if (load.seconds() >= SECONDS_TO_JUDGE) {
            shares(one.generator, load, stolen, symptoms, evidence);
        }
        boolean onlyLate = evidence.isEmpty();
        switch (load) {
            case LoadOutcome.Requests requests -> late(one, requests, evidence);
            case LoadOutcome.Held _ -> {} // a doubt about the response times, and no more
        }
        return new Limit(evidence, onlyLate);
    }

    /// The kernel counts the time that the hypervisor takes from a running thread neither as CPU
    /// time nor as waiting. It looks like waiting for answers. The steal of a CPU belongs to the
    /// programs on it by their CPU time. Those of other hosts are unknown.
    private static double stolen(LoadOutcome.Driven load, Observation observation) {
        LoadOutcome.Generator generator = load.generator();
        if (!load.engine().parts().isEmpty() || load.seconds() <= 0) {
            return 0;
        }
        double busy = observation.timeline().growth(EndFigure.CPUS_BUSY, End.CLIENT);
        double steal = observation.timeline().growth(EndFigure.CPUS_STEAL, End.CLIENT);
        double all = generator.threads() * load.seconds();
        double own = (1 - generator.idleShare() - generator.waitingShare()) * all;
        return steal * Math.min(1, Symptoms.share(own, busy)) / all;
    }

    private Judgement judge(LoadOutcome.Driven load, Observation observation, Symptoms symptoms) {
        LoadOutcome.Generator generator = load.generator();
        double stolen = stolen(load, observation);
        List<Evidence> evidence = new ArrayList<>();
        boolean onlyLate = true;
        for (One one : generators(load)) {
            Limit limit = limit(one, load, stolen, symptoms);
            onlyLate &= limit.onlyLate;
            limit.evidence.forEach(found -> evidence.add(one.named(found)));
        }
        List<Evidence> ranOut = exhausted(generator);
        if (evidence.isEmpty() && !ranOut.isEmpty()) {
            return new Judgement.Near(
                    this, End.CLIENT, ranOut, ranOut.getFirst().says() + ", too seldom to matter");
        }
        if (evidence.isEmpty()) {
            return new Judgement.Clear(
                    this,
                    "its threads (%d) waited for answers in %s of the time"
                            .formatted(
                                    generator.threads(),
                                    EvidenceFigures.percent(generator.idleShare())));
        }
        Harm harm = exhaustionHarms(generator, load) ? Harm.ERRORS : Harm.THROUGHPUT;
        return new Judgement.Binds(this, End.CLIENT, onlyLate ? Harm.LATENCY : harm, evidence);
    }

    /// In an open loop, a request that found an idle connection is only as late as the generator.
    /// Without an answer there is no response time that this could spoil.
    private static void late(One one, LoadOutcome.Requests load, List<Evidence> evidence) {
        double late = lateNanos(one.late);
        double max = lateNanosMax(load);
        if (load.answered() > 0 && surelyLate(one.late, load)) {
            boolean onlyLate = evidence.isEmpty();
            evidence.add(
                    EvidenceFigures.measured(
                            "generator.lateMillis",
                            late / 1e6,
                            max / 1e6,
                            "generator",
                            "of the requests that found an idle connection, one in a hundred was sent %s late or more"
                                    .formatted(EvidenceFigures.millis(late))));
            if (onlyLate) {
                evidence.addAll(whyLate(one.generator));
            }
        }
    }

    /// A thread that wakes for a request waits for a CPU, or does not wake before its pause ends.
    private static List<Evidence> whyLate(LoadOutcome.Generator generator) {
        double waiting = generator.waitingShare();
        long pause = generator.stalls().longestNanos();
        return List.of(
                cause(
                        "generator.waitingShare",
                        waiting,
                        "/proc/self/task/TID/schedstat",
                        "the generator's threads waited for a CPU in %s of the time"
                                .formatted(EvidenceFigures.percent(waiting))),
                cause(
                        "generator.longestPauseMillis",
                        pause / 1e6,
                        "generator",
                        "the longest pause of the generator took %s"
                                .formatted(EvidenceFigures.millis(pause))));
    }

    private static Evidence cause(String name, double value, String source, String says) {
        return new Evidence(
                new Key.Derived(name), End.CLIENT, Basis.LOAD, null, value, null, source, says);
    }

    /// Whether more than one request in a hundred is late. Of a few hundred requests, a few late
    /// ones may be chance.
    static boolean surelyLate(LoadOutcome.Driven load) {
        return surelyLate(lateNanosOf(load), load);
    }

    private static boolean surelyLate(Histogram lateNanos, LoadOutcome.Driven load) {
        long all = lateNanos.getTotalCount();
        double expected = LATE_REQUESTS_MAX * all;
        double chance = DEVIATIONS * Math.sqrt(expected * (1 - LATE_REQUESTS_MAX));
        long late = Symptoms.countFrom(lateNanos, (long) lateNanosMax(load));
        return all >= LATE_COUNT_MIN && late > expected + chance;
    }

    /// The lateness that one request in a hundred reaches; 0 with too few requests.
    static double lateNanos(LoadOutcome.Driven load) {
        return lateNanos(lateNanosOf(load));
    }

    private static double lateNanos(Histogram lateNanos) {
        return lateNanos.getTotalCount() >= LATE_COUNT_MIN ? lateNanos.getValueAtPercentile(99) : 0;
    }

    /// Above this lateness, the response times are spoiled.
    static double lateNanosMax(LoadOutcome load) {
        double tail = load.responseNanos().getValueAtPercentile(99);
        return Math.max(LATE_NANOS_MAX, LATE_SHARE_MAX * tail);
    }

    /// A connection that the generator could not open pauses before it tries again. A few pauses
    /// and a few failed exchanges spoil nothing. A held connection is opened once.
    private static boolean exhaustionHarms(
            LoadOutcome.Generator generator, LoadOutcome.Driven load) {
        long times = generator.exhausted().values().stream().mapToLong(Long::longValue).sum();
        return switch (load) {
            case LoadOutcome.Requests requests ->
                    times > 0
                            && (times >= Symptoms.ERROR_SHARE * exchanges(requests)
                                    || times * RETRY_SECONDS_MAX
                                            >= Symptoms.FAILED_TIME_SHARE
                                                    * load.connections()
                                                    * load.seconds());
            case LoadOutcome.Held _ -> times > 0;
        };
    }

    private static double exchanges(LoadOutcome.Requests load) {
        return (double) load.answered() + load.networkErrors();
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

    /// A service that never sleeps does not wait for the generator. If neither sleeps, the limit is
    /// the one whose thread used more of a CPU.
    private static boolean busierThan(LoadOutcome.Generator generator, Symptoms symptoms) {
        double generatorShare = 1 - generator.idleShare() - generator.waitingShare();
        return symptoms.cpu().neverSleeps() && symptoms.cpu().busiestShare() > generatorShare;
    }

    private static void shares(
            LoadOutcome.Generator generator,
            LoadOutcome.Driven load,
            double stolen,
            Symptoms symptoms,
            List<Evidence> evidence) {
        boolean bends = symptoms.surelyBends() && !busierThan(generator, symptoms);
        double idle = Math.max(0, generator.idleShare() - stolen);
        if (bends && idle < IDLE_SHARE_MIN) {
            String without =
                    generator.idleShare() < IDLE_SHARE_MIN
                            ? ""
                            : ", and the hypervisor had their CPU in "
                                    + EvidenceFigures.percent(stolen);
            evidence.add(
                    EvidenceFigures.measured(
                            "generator.idleShare",
                            idle,
                            IDLE_SHARE_MIN,
                            without.isEmpty()
                                    ? "/proc/self/task/TID/schedstat"
                                    : "/proc/self/task/TID/schedstat, /proc/stat",
                            "the generator's threads waited for answers in only %s of the time%s"
                                    .formatted(EvidenceFigures.percent(idle), without)));
        }
        if (generator.waitingShare() > WAITING_SHARE_MAX && spoils(generator, load, symptoms)) {
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

    /// A service without CPU left always has work, so a late generator costs it nothing. That holds
    /// only if it waits no longer for requests than the generator waits for answers. Otherwise a
    /// punctual generator would save at most the time in which the generator does not wait for
    /// answers. If the answers bend even without that time, the bend is the service's own. If that
    /// time is most of the time, the service cannot be judged: without a bend, either, because the
    /// generator may have been as late when it sent requests one at a time.
    private static boolean spoils(
            LoadOutcome.Generator generator, LoadOutcome.Driven load, Symptoms symptoms) {
        CpuUse cpu = symptoms.cpu();
        boolean waitsLess = cpu.idleShare() <= Math.max(CpuUse.HARDLY_IDLE, generator.idleShare());
        if (symptoms.batchesTakeTheirCpuTime() || (cpu.saturated() && waitsLess)) {
            return false;
        }
        boolean judged = generator.idleShare() >= IDLE_SHARE_TO_JUDGE;
        double own = symptoms.meanNanos() * generator.idleShare();
        boolean bendIsLeft = judged && own >= Symptoms.BEND * symptoms.unloadedNanos();
        return symptoms.surelyBends()
                ? !bendIsLeft
                : !judged && load instanceof LoadOutcome.Requests;
    }

    @Override
    public boolean seen(Observation observation) {
        return true;
    }

    /// Exhausted resources make requests fail.
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
                            "give the generator its own CPU: stop other programs, or pin the service elsewhere"
                                    + " (taskset -acp CPUS PID)",
                            "that CPU"));
        } else if (advice.isEmpty()) {
            advice.add(
                    new Advice("more generator threads (-t), if there are CPUs for them", "CPUs"));
            advice.add(
                    new Advice(
                            "a lower rate (-R) if requests were sent late",
                            "the figures then hold for the lower rate only"));
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
                            "more generator threads (-t): each can have its own descriptors; or raise ulimit -n",
                            "none"));
        }
        if (exhausted.containsKey("epoll watches")) {
            advice.add(
                    new Advice(
                            "sysctl -w fs.epoll.max_user_watches=N, one for each connection",
                            "some 160 bytes of kernel memory for each watch in use"));
        }
        return advice;
    }
}
