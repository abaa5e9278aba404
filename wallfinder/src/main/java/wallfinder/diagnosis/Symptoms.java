package wallfinder.diagnosis;

import org.HdrHistogram.Histogram;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.Observation;
import wallfinder.observation.Timeline;

/// What the load suffered, and how busy the server was: derived once, used by every wall.
///
/// @param known false if the load is a command that does not tell its rate
/// @param unloadedNanos the mean response time of one request at a time; if none was sent, the
///   fastest, or in an open loop the median from when a request was sent
/// @param meanNanos the mean response time under load; in lockstep that of a batch, if one ended
/// @param bendNanosMin a smaller growth of the response time is no bend
/// @param errorShare exchanges that failed among all, and bad answers, but for the share of bad
///   ones that there is without load
/// @param failedTimeShare the time of exchanges that failed, of all the connections' time in a
///   closed loop: where most are quick, the few that never are answered hardly count by number
/// @param cpu what the services used of their CPUs, and what they wanted
/// @param slowConnects connects that took 0.9 s or more: their SYN or its answer was dropped at
///   least once
/// @param slowConnectShare the share of the connections' time that went into such connects; in
///   lockstep, where all wait for the slowest, the share of the time that went into batches of such
///   a length; of held connections their share by number
/// @param unanswered connections of a closed loop that got no answer even after the load had
///   stopped
/// @param unansweredShare those of all connections
/// @param slower whether answers take longer than without load, by quantiles that are known of both
/// @param tailGrew whether the slow answers are none that the service has without load, too
/// @param stillShare the share of the sampled instants without a single answer, while there are
///   many in the rest
public record Symptoms(
        boolean known,
        double unloadedNanos,
        double meanNanos,
        double p50Nanos,
        double p99Nanos,
        double bendNanosMin,
        double errorShare,
        double failedTimeShare,
        CpuUse cpu,
        long slowConnects,
        double slowConnectShare,
        long unanswered,
        double unansweredShare,
        double stillShare,
        boolean slower,
        boolean tailGrew) {

    /// Linux repeats an unanswered SYN after 1 s (TCP_TIMEOUT_INIT, include/net/tcp.h); a little
    /// less allows for the timer's rounding.
    static final long SLOW_CONNECT_NANOS = 900_000_000L;

    /// From this slowdown on, doubling the connections gave less than half of what it should.
    static final double BEND = 2.0;

    /// A request of an open loop that finds a free connection and an idle server waits this long
    /// where a host is not quite idle: nothing has queued.
    private static final double OPEN_BEND_NANOS_MIN = 1e6;

    /// Fewer failures are those of any long run.
    static final double ERROR_SHARE = 0.001;

    /// A request that waits for its time-out is one request, and takes the time of many.
    static final double FAILED_TIME_SHARE = 0.01;

    /// A packet that was lost at the end may leave one or two unanswered.
    private static final double UNANSWERED_SHARE = 0.05;

    /// After its end a load waits 2 s for answers: where most answers take less than half of that,
    /// those that are missing then are not merely slow.
    private static final double ANSWERED_NANOS_MAX = 1e9;

    /// A tail or a stall takes this many times as long as most answers do.
    static final double TAIL_RATIO = 5.0;

    /// A shorter tail or stall nobody notices.
    static final double TAIL_NANOS_MIN = 20_000_000.0;

    /// Fewer steps between samples show no still ones.
    private static final int STEPS_MIN = 5;

    /// With fewer answers a step, steps without any come by chance.
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
                errorShare(load),
                failedTimeShare(load),
                CpuUse.of(observation),
                countFrom(load.socketConnectNanos(), SLOW_CONNECT_NANOS),
                slowConnectShare(load),
                unanswered,
                unansweredShare,
                lockstep(load) ? 0 : stillShare(observation.timeline()),
                slower(load),
                Slowdown.tailGrew(load, BEND));
    }

    /// Where nothing was asked without load, the means decide.
    private static boolean slower(LoadOutcome load) {
        Slowdown slowdown = Slowdown.of(load);
        return !slowdown.known()
                || (slowdown.ratio() >= BEND
                        && slowdown.loadedNanos() - slowdown.aloneNanos() >= bendNanosMin(load));
    }

    private static double bendNanosMin(LoadOutcome load) {
        return openLoop(load) ? OPEN_BEND_NANOS_MIN : 0;
    }

    private static boolean openLoop(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven && driven.loop() instanceof Loop.Open;
    }

    private static boolean lockstep(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven && driven.loop() instanceof Loop.Lockstep;
    }

    /// The times of batches in lockstep, if one ended, else those of answers.
    private static Histogram judgedNanos(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven
                        && driven.loop() instanceof Loop.Lockstep(Histogram batches)
                        && batches.getTotalCount() > 0
                ? batches
                : load.responseNanos();
    }

    /// The throughput bends: latency grew with the connections instead of the rate.
    boolean throughputBends() {
        return unloadedNanos > 0
                && meanNanos >= BEND * unloadedNanos
                && meanNanos - unloadedNanos >= bendNanosMin;
    }

    /// The same for a wall that no counter proves, so that the times alone have to: a service some
    /// of whose answers always take long does not bend because a few requests without load missed
    /// them.
    boolean surelyBends() {
        return throughputBends() && slower;
    }

    /// The same of the slow answers. A handshake that is repeated is none of the service's own slow
    /// answers.
    boolean tailSurelyJumps() {
        return tailJumps() && (tailGrew || slowConnects > 0);
    }

    boolean errorsBegin() {
        return errorShare >= ERROR_SHARE || failedTimeShare >= FAILED_TIME_SHARE;
    }

    /// A few wait far longer than most.
    boolean tailJumps() {
        return p99Nanos >= TAIL_NANOS_MIN
                && p99Nanos >= TAIL_RATIO * Math.max(p50Nanos, unloadedNanos);
    }

    /// The service fails or slows down under load. Enough for a wall with a proof of its own.
    boolean stopped() {
        return known && (throughputBends() || errorsBegin() || tailJumps() || leavesUnanswered());
    }

    /// The same where nothing else proves a wall, and the times alone have to.
    boolean surelyStopped() {
        return known && (surelyBends() || errorsBegin() || tailSurelyJumps() || leavesUnanswered());
    }

    /// Some connections are served and others never are. They fail only by a time-out, which a
    /// short measurement does not see.
    boolean leavesUnanswered() {
        return unansweredShare >= UNANSWERED_SHARE;
    }

    boolean cpuSaturated() {
        return cpu.saturated();
    }

    private static double unloaded(LoadOutcome load) {
        if (load instanceof LoadOutcome.Requests requests
                && requests.unloadedNanos().getTotalCount() > 0) {
            return requests.unloadedNanos().getMean();
        }
        Histogram service = load.times().serviceNanos();
        if (openLoop(load)) {
            // Mostly idle, it wakes up for each request: its fastest answer is not the usual one.
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
                    // It ended before its first batch did, and waited for the slowest all the time.
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

    /// Of held connections those count that failed: a single one may have had a million answers.
    private static double errorShare(LoadOutcome load) {
        long errors = load.networkErrors();
        return switch (load) {
            case LoadOutcome.Held _ -> share(errors, load.connections());
            case LoadOutcome.Requests _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    share(errors + badBegun(load), load.answered() + errors);
        };
    }

    /// Bad answers that began with the load: more than their share among requests without load.
    static double badBegun(LoadOutcome load) {
        return Math.max(0, load.bad() - load.answers().badShareAlone() * load.answered());
    }

    private static double failedTimeShare(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven && driven.loop() instanceof Loop.Closed
                ? share(driven.failures().failedNanos(), connectionNanos(load))
                : 0;
    }

    private static long unanswered(LoadOutcome load) {
        return load instanceof LoadOutcome.Requests requests
                        && requests.loop() instanceof Loop.Closed
                        && load.responseNanos().getValueAtPercentile(99) <= ANSWERED_NANOS_MAX
                ? requests.inFlight()
                : 0;
    }

    /// Only told where the others have many answers, so that a slow service is not taken for a
    /// stalled one.
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

    private static double sumFrom(Histogram histogram, long nanos) {
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
