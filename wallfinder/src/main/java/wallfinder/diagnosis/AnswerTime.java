package wallfinder.diagnosis;

import org.HdrHistogram.Histogram;
import wallfinder.observation.LoadOutcome;

/// The mean whole time of an answer outside the generator, good or bad: both keep the service busy.
final class AnswerTime {
    private static final double MICROS_PER_SECOND = 1e6;

    private AnswerTime() {}

    /// In a closed loop each connection always has a request under way, even one that is never
    /// answered. So Little's law gives the time of an answer from the number of connections. In an
    /// open loop, a request that waits for a free connection waits in the generator.
    static double micros(LoadOutcome.Requests load, double answersPerSecond) {
        return switch (load.loop()) {
            case LoadOutcome.Loop.Closed _ ->
                    load.connections() / answersPerSecond * MICROS_PER_SECOND;
            case LoadOutcome.Loop.Lockstep _ -> ofAll(load, load.responseNanos(), 0) / 1e3;
            case LoadOutcome.Loop.Open _ -> {
                Histogram service = load.times().serviceNanos();
                double waitNanos = load.responseNanos().getMean() - service.getMean();
                yield (ofAll(load, service, waitNanos) + connectNanos(load)) / 1e3;
            }
        };
    }

    /// @param good the times of the good answers
    /// @param waitNanos the mean wait in the generator, which the times of bad answers contain
    private static double ofAll(LoadOutcome.Requests load, Histogram good, double waitNanos) {
        Histogram bad = load.answers().badNanos();
        if (bad.getTotalCount() == 0) {
            return good.getMean();
        }
        double badNanos = Math.max(0, bad.getMean() - waitNanos);
        double badShare =
                (double) bad.getTotalCount() / (bad.getTotalCount() + good.getTotalCount());
        return (1 - badShare) * good.getMean() + badShare * badNanos;
    }

    /// The mean time to connect for a request that opens a connection, which is no part of its
    /// service time.
    private static double connectNanos(LoadOutcome.Requests load) {
        return load.keepalive() ? 0 : load.times().connectNanos().getMean();
    }
}
