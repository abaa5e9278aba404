package wallfinder.diagnosis;

import org.HdrHistogram.Histogram;
import wallfinder.experiment.Arrival;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.Observation;
import wallfinder.observation.Timeline;

/// The harm to the load and the CPU use of the server. It is computed once, and every wall uses it.
///
/// @param known false for a command that does not report its rate
/// @param unloadedNanos the mean response time of one request at a time; if there were no such
///   requests, the fastest response, or in an open loop the median from when a request was sent
/// @param meanNanos the mean response time under load; in lockstep the mean time of a batch, if a
///   batch ended
/// @param bendNanosMin a smaller growth of the response time is no bend
/// @param crowdedNanos with a shorter mean, on average fewer than one request is under way
/// @param errorShare the share of failed exchanges and bad answers, minus the share of bad answers
///   that also occur without load
/// @param failedTimeShare the share of the connections' time that a closed loop spends in failed
///   exchanges: if most exchanges are quick, a few that time out hardly count by number
/// @param slowConnects connects of 0.9 s or more: the SYN or its answer was dropped at least once
/// @param slowConnectShare the share of the connections' time in slow connects; in lockstep, where
///   all connections wait for the slowest, the share of the time in batches of that length; for
///   held connections, their share by number
/// @param unanswered connections of a closed loop without an answer for most of the load, or even
///   after it had stopped
/// @param slower whether answers take longer than without load, by quantiles known for both
/// @param tailGrew whether slow answers occur only under load
/// @param lockstep whether the requests come in batches, each after the answers to the last one
/// @param stillShare the share of samples without an answer, while the other samples have many
public record Symptoms(
        boolean known,
        double unloadedNanos,
        double meanNanos,
        double p50Nanos,
        double p99Nanos,
        double bendNanosMin,
        double crowdedNanos,
        double errorShare,
        double failedTimeShare,
        CpuUse cpu,
        long slowConnects,
        double slowConnectShare,
        long unanswered,
        double unansweredShare,
        double stillShare,
        boolean slower,
        boolean tailGrew,
        boolean lockstep) {

    /// Linux repeats an unanswered SYN after 1 s (TCP_TIMEOUT_INIT, include/net/tcp.h); the
    /// threshold is a little lower to allow for the timer's rounding.
    static final long SLOW_CONNECT_NANOS = 900_000_000L;

    /// Above this slowdown, twice the connections give less than half of the expected gain.
    static final double BEND = 2.0;

    /// Of a batch, the time of a single request. Above it, a batch of twice as many requests would
    /// raise the rate by more than 5 %: the climb goes on.
    private static final double SINGLE_SHARE_MAX = 0.1;

    /// On a host with some other load, a request in an open loop waits this long anyway.
    private static final double OPEN_BEND_NANOS_MIN = 1e6;

    /// With this share of the requests answered, no remedy can raise the rate by 5 %.
    private static final double KEPT_UP = 0.952;

    /// Every long run has a few failures, but a smaller share.
    static final double ERROR_SHARE = 0.001;

    /// A request that times out is one request, but takes the time of many.
    static final double FAILED_TIME_SHARE = 0.01;

    private static final double UNANSWERED_SHARE = 0.05;

    /// If packets are lost at the very end, so few connections may stay unanswered.
    private static final long UNANSWERED_BY_CHANCE = 2;

    /// When a load ends, it waits 2 s for answers. If most answers take less than half of that, the
    /// missing answers are not merely slow.
    private static final double ANSWERED_NANOS_MAX = 1e9;

    /// If slow answers explain most of the requests in flight, these may be slow, too.
    private static final double UNLIKE_SLOW_SHARE = 0.5;

    /// An answer that takes this share of a load is as good as none.
    private static final double WHOLE_SHARE = 0.8;

    /// A tail or a stall lasts at least this many times as long as most answers.
    static final double TAIL_RATIO = 5.0;

    /// Nobody notices a shorter tail or stall.
    static final double TAIL_NANOS_MIN = 20_000_000.0;

    /// With fewer samples, a share means nothing.
    private static final int STEPS_MIN = 5;

    /// With fewer answers in a step, empty steps may be chance.
    private static final double ANSWERS_PER_STEP_MIN = 5.0;

    static Symptoms of(Observation observation) {
        LoadOutcome load = observation.load();
        Histogram main = judgedNanos(load);
        long unanswered = unanswered(load);
        double unansweredShare = share(unanswered, load.connections());
        return new Symptoms(
                main.getTotalCount() > 0
                        || load.failed() > 0
                        || unansweredShare >= UNANSWERED_SHARE,
                unloaded(load),
                main.getTotalCount() > 0 ? main.getMean() : 0,
                main.getValueAtPercentile(50),
                main.getValueAtPercentile(99),
                bendNanosMin(load),
                crowdedNanos(load),
                errorShare(load),
                failedTimeShare(load),
                CpuUse.of(observation),
                countFrom(load.socketConnectNanos(), SLOW_CONNECT_NANOS),
                slowConnectShare(load),
                unanswered,
                unansweredShare,
                lockstep(load) ? 0 : stillShare(observation.timeline()),
                slower(load),
                Slowdown.tailGrew(load, BEND),
                lockstep(load));
    }

    /// If there were no requests before the load, the means decide.
    private static boolean slower(LoadOutcome load) {
        Slowdown slowdown = Slowdown.of(load);
        return !slowdown.known()
                || (slowdown.ratio() >= BEND
                        && slowdown.loadedNanos() - slowdown.aloneNanos() >= bendNanosMin(load));
    }

    private static double bendNanosMin(LoadOutcome load) {
        return openLoop(load) ? OPEN_BEND_NANOS_MIN : 0;
    }

    /// In an open loop whose answers take less time than passes between two requests, a request
    /// seldom finds another one before it. Then it does not take longer because of the load: the
    /// service is as slow as after any pause, with cold caches and sleeping CPUs. Single requests
    /// that directly follow each other do not show that.
    private static double crowdedNanos(LoadOutcome load) {
        return openLoop(load) ? 1e9 * load.seconds() / load.answered() : 0;
    }

    static boolean openLoop(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven && driven.loop() instanceof Loop.Open;
    }

    /// Whether a service answers as many requests as an open loop sends. Then nothing limits its
    /// throughput, however long the answers take.
    static boolean keepsUp(LoadOutcome load) {
        if (!(load instanceof LoadOutcome.Driven driven)
                || !(driven.loop() instanceof Loop.Open open)) {
            return false;
        }
        return switch (open.arrival()) {
            case Arrival.Rate(double perSecond) -> load.throughput() >= KEPT_UP * perSecond;
            case Arrival.Poisson(double perSecond, Long _) ->
                    load.throughput() >= KEPT_UP * perSecond;
            case Arrival.Stages _ -> false; // the rate changes on the way
        };
    }

    private static boolean lockstep(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven && driven.loop() instanceof Loop.Lockstep;
    }

    /// The times of batches in lockstep, if a batch ended; otherwise the times of answers.
    private static Histogram judgedNanos(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven
                        && driven.loop() instanceof Loop.Lockstep(Histogram batches)
                        && batches.getTotalCount() > 0
                ? batches
                : load.responseNanos();
    }

    /// The throughput bends: with more connections, the latency grew instead of the rate.
    boolean throughputBends() {
        return bends(meanNanos);
    }

    /// @param nanos a mean response time under load
    boolean bends(double nanos) {
        return unloadedNanos > 0
                && nanos >= crowdedNanos
                && nanos >= BEND * unloadedNanos
                && nanos - unloadedNanos >= bendNanosMin;
    }

    /// The bend that a wall without a counter needs. A few requests without load may miss the slow
    /// answers that a service always has; those are no bend.
    boolean surelyBends() {
        return throughputBends() && slower;
    }

    /// The same for the tail. A repeated handshake does not count as a slow answer of the service.
    boolean tailSurelyJumps() {
        return tailJumps() && (tailGrew || slowConnects > 0);
    }

    boolean errorsBegin() {
        return errorShare >= ERROR_SHARE || failedTimeShare >= FAILED_TIME_SHARE;
    }

    /// A few answers take far longer than most.
    boolean tailJumps() {
        return p99Nanos >= TAIL_NANOS_MIN
                && p99Nanos >= TAIL_RATIO * Math.max(p50Nanos, unloadedNanos);
    }

    /// The service fails or slows down under load, which is enough for a wall with its own proof.
    boolean stopped() {
        return known && (throughputBends() || errorsBegin() || tailJumps() || leavesUnanswered());
    }

    /// The same for a wall that only timing proves.
    boolean surelyStopped() {
        return known && (surelyBends() || errorsBegin() || tailSurelyJumps() || leavesUnanswered());
    }

    /// Some connections never get an answer. They fail only by a time-out.
    boolean leavesUnanswered() {
        return unansweredShare >= UNANSWERED_SHARE;
    }

    /// The worst harm of the load.
    ///
    /// @param unknown the harm to assume if the load reports nothing
    Harm harm(Harm unknown) {
        boolean perhapsByChance = unanswered <= UNANSWERED_BY_CHANCE && throughputBends();
        if (errorsBegin() || (leavesUnanswered() && !perhapsByChance)) {
            return Harm.ERRORS;
        }
        if (!known) {
            return unknown;
        }
        return throughputBends() ? Harm.THROUGHPUT : Harm.LATENCY;
    }

    boolean cpuSaturated() {
        return cpu.saturated() || batchesTakeTheirCpuTime();
    }

    /// A batch takes the response time of a single request plus what its requests cost each other.
    /// While a batch begins and ends, a CPU waits for requests. If that cost is CPU time, nothing
    /// else makes the batch longer.
    boolean batchesTakeTheirCpuTime() {
        double extraNanos = meanNanos - unloadedNanos;
        return lockstep
                && unloadedNanos > 0
                && unloadedNanos <= SINGLE_SHARE_MAX * meanNanos
                && cpu.wantedShare() * meanNanos >= CpuUse.SATURATED_SHARE * extraNanos;
    }

    private static double unloaded(LoadOutcome load) {
        if (load instanceof LoadOutcome.Requests requests
                && requests.unloadedNanos().getTotalCount() > 0) {
            return requests.unloadedNanos().getMean();
        }
        Histogram service = load.times().serviceNanos();
        if (openLoop(load)) {
            // A mostly idle service has to wake up for each request, so its fastest answer is
            // unusual.
            return service.getValueAtPercentile(50);
        }
        return service.getTotalCount() > 0 ? service.getMinValue() : 0;
    }

    static double watchedSeconds(Observation observation) {
        long[] nanos = observation.timeline().nanos();
        return nanos.length < 2
                ? observation.load().seconds()
                : (nanos[nanos.length - 1] - nanos[0]) / 1e9;
    }

    private static double slowConnectShare(LoadOutcome load) {
        Histogram connects = load.socketConnectNanos();
        long slow = countFrom(connects, SLOW_CONNECT_NANOS);
        return switch (load) {
            case LoadOutcome.Requests requests -> slowConnectShare(requests, slow);
            case LoadOutcome.Held _ -> share(slow, connects.getTotalCount());
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> 0;
        };
    }

    private static double slowConnectShare(LoadOutcome.Requests load, long slow) {
        return switch (load.loop()) {
            case Loop.Lockstep(Histogram batches) when batches.getTotalCount() == 0 ->
                    // The load ended within its first batch, so it waited for the slowest
                    // connection all the time.
                    slow > 0 ? 1 : 0;
            case Loop.Lockstep(Histogram batches) ->
                    share(sumFrom(batches, SLOW_CONNECT_NANOS), sumFrom(batches, 0));
            case Loop.Closed _, Loop.Open _ ->
                    share(
                            sumFrom(load.socketConnectNanos(), SLOW_CONNECT_NANOS),
                            connectionNanos(load));
        };
    }

    private static double connectionNanos(LoadOutcome load) {
        return load.connections() * load.seconds() * 1e9;
    }

    /// For held connections, only failed connections count: one connection may have a million
    /// answers.
    private static double errorShare(LoadOutcome load) {
        long errors = load.networkErrors();
        return switch (load) {
            case LoadOutcome.Held _ -> share(errors, load.connections());
            case LoadOutcome.Requests _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    share(errors + badBegun(load), load.answered() + errors);
        };
    }

    /// The bad answers in excess of their share among requests without load.
    static double badBegun(LoadOutcome load) {
        return Math.max(0, load.bad() - load.answers().badShareAlone() * load.answered());
    }

    private static double failedTimeShare(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven && driven.loop() instanceof Loop.Closed
                ? share(driven.failures().failedNanos(), connectionNanos(load))
                : 0;
    }

    /// Answers that came only because the load was ending, and others gave up their places. If a
    /// few connections keep all workers, most answers are as fast as without load.
    private static long asLongAsTheLoad(LoadOutcome.Requests load) {
        double nanos = WHOLE_SHARE * load.seconds() * 1e9;
        boolean unusual =
                nanos > ANSWERED_NANOS_MAX && nanos >= BEND * load.unloadedNanos().getMaxValue();
        return unusual && answeredWithin(ANSWERED_NANOS_MAX, load, slower(load) ? 99 : 50)
                ? countFrom(load.responseNanos(), (long) nanos)
                : 0;
    }

    /// Requests without an answer after the load had ended, unless about as many answers were so
    /// slow. If none was answered, those alone show how long an answer takes.
    private static long lost(LoadOutcome.Requests load) {
        boolean quick =
                load.answered() > 0
                        ? answeredWithin(ANSWERED_NANOS_MAX, load, 99)
                        : load.unloadedNanos().getMaxValue() <= ANSWERED_NANOS_MAX;
        boolean slow = load.unanswered() < UNLIKE_SLOW_SHARE * load.inFlight();
        return quick && !slow ? load.inFlight() : 0;
    }

    private static boolean answeredWithin(double nanos, LoadOutcome load, double percentile) {
        return load.responseNanos().getValueAtPercentile(percentile) <= nanos;
    }

    /// Connections without an answer.
    private static long unanswered(LoadOutcome load) {
        if (!(load instanceof LoadOutcome.Requests requests)) {
            return 0;
        }
        return switch (requests.loop()) {
            case Loop.Closed _ -> lost(requests) + asLongAsTheLoad(requests);
            case Loop.Lockstep _ -> 0;
            // Further requests wait for a connection.
            case Loop.Open _ ->
                    answeredWithin(ANSWERED_NANOS_MAX, load, 99)
                            ? Math.min(requests.unanswered(), requests.connections())
                            : 0;
        };
    }

    /// Returns 0 unless the other steps have many answers, so that a slow service does not look
    /// stalled.
    private static double stillShare(Timeline timeline) {
        double[] requests =
                timeline.find(LoadFigure.REQUESTS, End.CLIENT)
                        .map(s -> s.values())
                        .orElse(new double[0]);
        int still = 0;
        for (int i = 1; i < requests.length; i++) {
            if (requests[i] == requests[i - 1]) {
                still++;
            }
        }
        int steps = requests.length - 1;
        if (steps < STEPS_MIN || requests[steps] - requests[0] < ANSWERS_PER_STEP_MIN * steps) {
            return 0;
        }
        return (double) still / steps;
    }

    static long countFrom(Histogram histogram, long nanos) {
        return histogram.getTotalCount() == 0
                ? 0
                : histogram.getCountBetweenValues(nanos, Math.max(nanos, histogram.getMaxValue()));
    }

    static double sumFrom(Histogram histogram, long nanos) {
        double sum = 0;
        if (histogram.getTotalCount() == 0) {
            return sum;
        }
        for (var value : histogram.recordedValues()) {
            if (value.getValueIteratedTo() >= nanos) {
                sum +=
                        (double) value.getValueIteratedTo()
                                * value.getCountAddedInThisIterationStep();
            }
        }
        return sum;
    }

    static double share(double part, double whole) {
        return whole > 0 ? part / whole : 0;
    }
}
