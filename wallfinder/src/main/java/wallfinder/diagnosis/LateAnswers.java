package wallfinder.diagnosis;

import org.HdrHistogram.Histogram;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;

/// The answers that took longer than others by a time-out of TCP, and requests that timed out.
///
/// @param nanos how long the other answers take
/// @param share of the answers that are late
/// @param timeShare the share of the connections' time that late answers took beyond the others; in
///   lockstep, where all connections wait for the slowest, the share of the time of the batches
record LateAnswers(double nanos, double count, double share, double timeShare) {
    /// TCP's shortest time-out is 200 ms (`TCP_RTO_MIN`, include/net/tcp.h). Answers take a little
    /// longer or shorter than the others.
    static final long LATE_NANOS = 190_000_000L;

    /// The 99th percentile is late.
    static final double TAIL_SHARE = 0.01;

    /// @param nanos how long the other answers take
    static LateAnswers beyond(double nanos, LoadOutcome load) {
        Histogram answers = load.responseNanos();
        long late = Symptoms.countFrom(answers, (long) nanos + LATE_NANOS);
        return new LateAnswers(
                nanos,
                late + timedOut(load),
                Symptoms.share(late, answers.getTotalCount()),
                timeShare(load, nanos, late));
    }

    /// The requests without an answer in time, or without its first byte.
    static long timedOut(LoadOutcome load) {
        return load.errors(ErrorKind.TIMEOUT) + load.errors(ErrorKind.FIRST_BYTE_TIMEOUT);
    }

    /// Whether most answers take longer than alone although they are not late. Then something else
    /// limits the rate: if a connection waits for a time-out, the others keep the service as busy
    /// as before. In lockstep the requests of a batch wait for each other, so it says nothing
    /// there.
    boolean mostWaitElsewhere(LoadOutcome load, Symptoms symptoms) {
        double most = load.responseNanos().getValueAtPercentile(50);
        return !symptoms.lockstep()
                && most < nanos + LATE_NANOS
                && most >= Symptoms.BEND * medianAlone(load, symptoms);
    }

    /// The path may lose packets without load, too. That lengthens the mean, but not the median.
    private static double medianAlone(LoadOutcome load, Symptoms symptoms) {
        return load instanceof LoadOutcome.Requests requests
                        && requests.unloadedNanos().getTotalCount() > 0
                ? requests.unloadedNanos().getValueAtPercentile(50)
                : symptoms.unloadedNanos();
    }

    private static double timeShare(LoadOutcome load, double nanos, long late) {
        return switch (load) {
            case LoadOutcome.Requests requests ->
                    switch (requests.loop()) {
                        case Loop.Closed _ -> timeShare(load.responseNanos(), nanos);
                        case Loop.Lockstep(Histogram batches) when batches.getTotalCount() == 0 ->
                                // The load ended within its first batch, so it waited for the
                                // slowest answer all the time.
                                late > 0 ? 1 : 0;
                        case Loop.Lockstep(Histogram batches) -> timeShare(batches, nanos);
                        case Loop.Open _ -> 0;
                    };
            case LoadOutcome.Held _, LoadOutcome.Command _, LoadOutcome.Unseen _ -> 0;
        };
    }

    private static double timeShare(Histogram times, double nanos) {
        double all = 0;
        double beyond = 0;
        for (var value : times.recordedValues()) {
            double each = value.getValueIteratedTo();
            all += each * value.getCountAddedInThisIterationStep();
            if (each >= nanos + LATE_NANOS) {
                beyond += (each - nanos) * value.getCountAddedInThisIterationStep();
            }
        }
        return Symptoms.share(beyond, all);
    }
}
