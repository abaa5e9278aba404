package wallfinder.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import wallfinder.experiment.Arrival;

/// Decides how many requests are due by a time, and when each is due: pure functions, in
/// nanoseconds since the start. Request numbers begin with 0.
///
/// Each thread has its own pacer, with its share of the rate.
sealed interface Pacer {
    /// The due time of a request that never comes.
    long NEVER = Long.MAX_VALUE;

    Duration SECOND = Duration.ofSeconds(1);

    /// When a request is due. It is never earlier than the request before it.
    long dueNanos(long number);

    /// How many requests are due by a time, including those due exactly then.
    long due(long nanos);

    static Pacer of(Arrival.Open arrival, int thread, int threads) {
        return switch (arrival) {
            case Arrival.Rate(double perSecond) ->
                    new Even(
                            List.of(new Arrival.Stage(SECOND, perSecond, perSecond)),
                            thread,
                            threads);
            case Arrival.Stages stages -> new Even(stages.stages(), thread, threads);
            case Arrival.Poisson poisson ->
                    new Poisson(
                            poisson.perSecond() / threads,
                            SplitMix64.mix(poisson.drawnSeed() + thread * SplitMix64.GOLDEN));
        };
    }

    /// Requests at even distances, at a rate that steps or ramps. Each of n threads takes every
    /// n-th request.
    ///
    /// The number of requests due by a time is the integral of the rate up to it. A request is due
    /// when the integral passes its number.
    final class Even implements Pacer {
        private static final double NANOS_PER_SECOND = 1e9;

        private final int thread;
        private final int threads;

        /// For each stage: its start, the requests due before it, its rate per nanosecond, and the
        /// growth of the rate per nanosecond. The last stage has no end and a constant rate.
        private final double[] starts;

        private final double[] counts;
        private final double[] rates;
        private final double[] slopes;

        Even(List<Arrival.Stage> stages, int thread, int threads) {
            this.thread = thread;
            this.threads = threads;
            int count = stages.size();
            starts = new double[count + 1];
            counts = new double[count + 1];
            rates = new double[count + 1];
            slopes = new double[count + 1];
            for (int i = 0; i < count; i++) {
                Arrival.Stage stage = stages.get(i);
                double length = stage.length().toNanos();
                double requests = (stage.from() + stage.to()) / 2 * (length / NANOS_PER_SECOND);
                rates[i] = stage.from() / NANOS_PER_SECOND;
                slopes[i] = (stage.to() - stage.from()) / NANOS_PER_SECOND / length;
                starts[i + 1] = starts[i] + length;
                counts[i + 1] = counts[i] + requests;
            }
            rates[count] = stages.getLast().to() / NANOS_PER_SECOND;
        }

        @Override
        public long dueNanos(long number) {
            double count = (double) number * threads + thread;
            int stage = last(counts, count);
            double within = count - counts[stage];
            if (within == 0) {
                return Math.round(starts[stage]);
            }
            double rate = rates[stage];
            // The root of rate x t + slope / 2 x t^2 = within, in the form that allows a slope of
            // 0.
            double root = Math.sqrt(Math.max(0, rate * rate + 2 * slopes[stage] * within));
            return rate + root > 0 ? Math.round(starts[stage] + 2 * within / (rate + root)) : NEVER;
        }

        @Override
        public long due(long nanos) {
            int stage = last(starts, nanos);
            double within = nanos - starts[stage];
            double count = counts[stage] + (rates[stage] + slopes[stage] / 2 * within) * within;
            long due = Math.max(0, (long) ((count - thread) / threads));
            // Rounding may be one request off.
            while (dueNanos(due) <= nanos) {
                due++;
            }
            while (due > 0 && dueNanos(due - 1) > nanos) {
                due--;
            }
            return due;
        }

        /// The index of the last value that is not above a bound. The values ascend from zero.
        private static int last(double[] ascending, double bound) {
            int found = Arrays.binarySearch(ascending, bound);
            int last = found >= 0 ? found : -found - 2;
            while (last + 1 < ascending.length && ascending[last + 1] <= bound) {
                last++;
            }
            return last;
        }
    }

    /// Requests at independent, exponentially distributed distances. Threads with different seeds
    /// make one Poisson process together.
    ///
    /// Each distance is a function of the seed and the request's number. The last result is kept,
    /// so that the next request costs one step. An earlier request starts again from the first.
    final class Poisson implements Pacer {
        private static final double NANOS_PER_SECOND = 1e9;

        private final double meanNanos;
        private final long seed;
        private long at = -1;
        private double atNanos;

        Poisson(double perSecond, long seed) {
            this.meanNanos = NANOS_PER_SECOND / perSecond;
            this.seed = seed;
        }

        @Override
        public long dueNanos(long number) {
            if (number < at) {
                restart();
            }
            while (at < number) {
                at++;
                atNanos += distance(at);
            }
            return Math.round(atNanos);
        }

        @Override
        public long due(long nanos) {
            if (at >= 0 && Math.round(atNanos) > nanos) {
                restart();
            }
            long due = at + 1;
            while (dueNanos(due) <= nanos) {
                due++;
            }
            return due;
        }

        private void restart() {
            at = -1;
            atNanos = 0;
        }

        private double distance(long number) {
            long bits = SplitMix64.mix(seed + number * SplitMix64.GOLDEN) >>> 11;
            // Above 0 and at most 1, so that the logarithm is finite.
            double uniform = (bits + 1) * 0x1p-53;
            return -Math.log(uniform) * meanNanos;
        }
    }
}
