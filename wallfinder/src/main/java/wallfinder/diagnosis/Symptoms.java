package wallfinder.diagnosis;

import org.HdrHistogram.Histogram;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Names;
import wallfinder.observation.Observation;
import wallfinder.observation.Timeline;

/// What the load suffered, and how busy the server was: derived once, used by every wall.
///
/// @param known false if the load is a command that does not tell its rate
/// @param unloadedNanos the mean response time of one request at a time; if none was sent, the
///   fastest, or in an open loop the median from when a request was sent
/// @param meanNanos the mean response time under load; in lockstep that of a batch, if one ended
/// @param bendNanosMin a smaller growth of the response time is no bend
/// @param errorShare network errors among all exchanges
/// @param failedTimeShare the time of exchanges that failed, of all the connections' time in a
///   closed loop: where most are quick, the few that never are answered hardly count by number
/// @param serverCpuShare CPU used by the services, of the CPUs they may run on
/// @param serverCpuLostShare CPU that others used while the services waited for it, of the same
/// @param busiestThreadShare CPU used by the busiest thread of a service, of one CPU
/// @param slowConnects connects that took 0.9 s or more: their SYN or its answer was dropped at
///   least once
/// @param slowConnectShare the share of the connections' time that went into such connects; in
///   lockstep, where all wait for the slowest, the share of the time that went into batches of such
///   a length; of held connections their share by number
/// @param unansweredShare connections that got no answer even after the load had stopped, of all
///   connections of a closed loop
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
        double serverCpuShare,
        double serverCpuLostShare,
        double busiestThreadShare,
        long slowConnects,
        double slowConnectShare,
        double unansweredShare,
        double stillShare) {

    /// Linux repeats an unanswered SYN after 1 s (TCP_TIMEOUT_INIT, include/net/tcp.h); a little
    /// less allows for the timer's rounding.
    static final long SLOW_CONNECT_NANOS = 900_000_000L;

    /// From this slowdown on, doubling the connections gave less than half of what it should.
    static final double BEND = 2.0;

    /// A request of an open loop that finds a free connection and an idle server waits this long
    /// where a host is not quite idle: nothing has queued.
    private static final double OPEN_BEND_NANOS_MIN = 1e6;

    static final double ERROR_SHARE = 0.001;
    static final double FAILED_TIME_SHARE = 0.01;

    /// A packet that was lost at the end may leave one or two unanswered.
    private static final double UNANSWERED_SHARE = 0.05;

    /// After its end a load waits 2 s for answers: where most answers take less than half of that,
    /// those that are missing then are not merely slow.
    private static final double ANSWERED_NANOS_MAX = 1e9;

    static final double TAIL_RATIO = 5.0;
    static final double TAIL_NANOS_MIN = 20_000_000.0;

    static Symptoms of(Observation observation) {
        LoadOutcome load = observation.load();
        boolean batches = load.lockstep() && !endlessBatch(load);
        Histogram main = batches ? load.batchNanos() : load.responseNanos();
        return new Symptoms(
                main.getTotalCount() > 0
                        || load.networkErrors() > 0
                        || unansweredShare(load) >= UNANSWERED_SHARE,
                unloaded(load),
                main.getTotalCount() > 0 ? main.getMean() : 0,
                main.getValueAtPercentile(50),
                main.getValueAtPercentile(99),
                load.openLoop() == null ? 0 : OPEN_BEND_NANOS_MIN,
                errorShare(load),
                failedTimeShare(load),
                serverCpuShare(observation),
                serverCpuLostShare(observation),
                busiestThreadShare(observation),
                countFrom(load.socketConnectNanos(), SLOW_CONNECT_NANOS),
                slowConnectShare(load),
                unansweredShare(load),
                load.lockstep() ? 0 : stillShare(observation.timeline()));
    }

    /// The throughput bends: latency grew with the connections instead of the rate.
    boolean throughputBends() {
        return unloadedNanos > 0
                && meanNanos >= BEND * unloadedNanos
                && meanNanos - unloadedNanos >= bendNanosMin;
    }

    boolean errorsBegin() {
        return errorShare >= ERROR_SHARE || failedTimeShare >= FAILED_TIME_SHARE;
    }

    /// A few wait far longer than most.
    boolean tailJumps() {
        return p99Nanos >= TAIL_NANOS_MIN
                && p99Nanos >= TAIL_RATIO * Math.max(p50Nanos, unloadedNanos);
    }

    boolean stopped() {
        return known && (throughputBends() || errorsBegin() || tailJumps() || leavesUnanswered());
    }

    /// Some connections are served and others never are. They fail only by a time-out, which a
    /// short measurement does not see.
    boolean leavesUnanswered() {
        return unansweredShare >= UNANSWERED_SHARE;
    }

    boolean cpuSaturated() {
        return cpuWantedShare() >= Cpu.SATURATED_SHARE
                || busiestThreadWantedShare() >= Cpu.SATURATED_THREAD_SHARE;
    }

    /// What the services would use if nobody else took it: a service that always runs or waits for
    /// a CPU is bound by the CPU, however little of it the others leave.
    double cpuWantedShare() {
        return serverCpuShare + serverCpuLostShare;
    }

    /// The same for its busiest thread, which lost in proportion to what it used.
    double busiestThreadWantedShare() {
        return serverCpuShare > 0
                ? busiestThreadShare * (1 + serverCpuLostShare / serverCpuShare)
                : busiestThreadShare;
    }

    private static double unloaded(LoadOutcome load) {
        if (load.unloadedNanos().getTotalCount() > 0) {
            return load.unloadedNanos().getMean();
        }
        if (load.openLoop() != null) {
            // Mostly idle, it wakes up for each request: its fastest answer is not the usual one.
            return load.serviceNanos().getValueAtPercentile(50);
        }
        return load.serviceNanos().getTotalCount() > 0 ? load.serviceNanos().getMinValue() : 0;
    }

    private static double serverCpuShare(Observation observation) {
        double available = availableCpus(observation) * watchedSeconds(observation);
        return share(ofServices(observation, "].cpu"), available);
    }

    /// What others used of the CPUs harms the services only while they wait; that they wait harms
    /// them only if others use the CPUs, and not their own threads. What a hypervisor took of a CPU
    /// on which they ran is no waiting: the kernel knows nothing of it at the time.
    private static double serverCpuLostShare(Observation observation) {
        double used = ofServices(observation, "].cpu");
        double busy = observation.timeline().growth(Names.cpus("busy"), End.SERVER);
        double steal = observation.timeline().growth(Names.cpus("steal"), End.SERVER);
        double others = Math.max(0, busy + steal - used);
        double whileRunning = steal * Math.min(1, share(used, busy));
        double cpus = observation.facts().serverCpus();
        double taken = cpus - availableCpus(observation);
        double lost = Math.min(ofServices(observation, "].waiting") + whileRunning, others);
        double available = availableCpus(observation) * watchedSeconds(observation);
        // What the generator took has been left out of what was available.
        return share(Math.max(0, lost - taken * watchedSeconds(observation)), available);
    }

    /// A figure in seconds, summed over all processes of the services.
    private static double ofServices(Observation observation, String suffix) {
        return observation
                .timeline()
                .all("process[", suffix, End.SERVER)
                .mapToDouble(s -> Math.max(0, nanToZero(s.growth())))
                .sum();
    }

    /// On a CPU set that the generator shares, what it took was not there for the service.
    private static double availableCpus(Observation observation) {
        double cpus = observation.facts().serverCpus();
        if (observation.facts().sharedCpus()) {
            double seconds = watchedSeconds(observation);
            double generator =
                    observation.timeline().growth(Names.generator("cpu"), End.CLIENT)
                            / Math.max(seconds, 1e-9);
            return Math.max(cpus - generator, cpus / 2);
        }
        return cpus;
    }

    private static double busiestThreadShare(Observation observation) {
        double seconds = watchedSeconds(observation);
        double busiest =
                observation
                        .timeline()
                        .all("process[", "].busiestThread", End.SERVER)
                        .mapToDouble(s -> nanToZero(s.growth()))
                        .max()
                        .orElse(0);
        return seconds > 0 ? busiest / seconds : 0;
    }

    static double watchedSeconds(Observation observation) {
        long[] nanos = observation.timeline().nanos();
        return nanos.length < 2
                ? observation.load().seconds()
                : (nanos[nanos.length - 1] - nanos[0]) / 1e9;
    }

    /// A load in lockstep that ended before its first batch did: only single answers are known.
    private static boolean endlessBatch(LoadOutcome load) {
        return load.lockstep() && load.batchNanos().getTotalCount() == 0;
    }

    private static double slowConnectShare(LoadOutcome load) {
        if (endlessBatch(load)) {
            // All of its time went into waiting for the slowest.
            return countFrom(load.socketConnectNanos(), SLOW_CONNECT_NANOS) > 0 ? 1 : 0;
        }
        if (load.hold() != null) {
            Histogram connects = load.connectNanos();
            return share(countFrom(connects, SLOW_CONNECT_NANOS), connects.getTotalCount());
        }
        double total = load.connections() * load.seconds() * 1e9;
        return load.lockstep()
                ? share(
                        sumFrom(load.batchNanos(), SLOW_CONNECT_NANOS),
                        sumFrom(load.batchNanos(), 0))
                : share(sumFrom(load.socketConnectNanos(), SLOW_CONNECT_NANOS), total);
    }

    /// Of held connections those count that failed: a single one may have had a million answers.
    private static double errorShare(LoadOutcome load) {
        long errors = load.networkErrors();
        return share(errors, load.hold() != null ? load.connections() : load.answered() + errors);
    }

    private static double failedTimeShare(LoadOutcome load) {
        boolean comparable = load.openLoop() == null && !load.lockstep();
        return comparable
                ? share(load.failedNanos(), load.connections() * load.seconds() * 1e9)
                : 0;
    }

    private static double unansweredShare(LoadOutcome load) {
        boolean comparable =
                load.generator() != null
                        && load.openLoop() == null
                        && load.hold() == null
                        && !load.lockstep();
        return comparable && load.responseNanos().getValueAtPercentile(99) <= ANSWERED_NANOS_MAX
                ? share(load.inFlight(), load.connections())
                : 0;
    }

    /// Only told where the others have many answers, so that a slow service is not taken for a
    /// stalled one.
    private static double stillShare(Timeline timeline) {
        double[] requests =
                timeline.find(Names.load("requests"), End.CLIENT)
                        .map(s -> s.values())
                        .orElse(new double[0]);
        int still = 0;
        for (int i = 1; i < requests.length; i++) {
            if (requests[i] == requests[i - 1]) {
                still++;
            }
        }
        int steps = requests.length - 1;
        if (steps < 5 || requests[steps] - requests[0] < 5.0 * steps) {
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

    private static double nanToZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }
}
