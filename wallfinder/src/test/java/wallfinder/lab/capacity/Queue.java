package wallfinder.lab.capacity;

import java.util.Arrays;
import java.util.SplittableRandom;

/// A queue in front of equal workers, for simulations: M/M/k or M/D/k.
///
/// @param fixed whether each answer takes the same time, or an exponentially distributed one
record Queue(int workers, double serviceSeconds, boolean fixed) {
    /// The response times of a Poisson process of requests.
    double[] responses(double perSecond, double seconds, SplittableRandom random) {
        double[] responses = new double[(int) (2 * perSecond * seconds) + 100];
        double[] freeAt = new double[workers];
        int count = 0;
        double now = exponential(1 / perSecond, random);
        while (now < seconds && count < responses.length) {
            int first = 0;
            for (int i = 1; i < workers; i++) {
                first = freeAt[i] < freeAt[first] ? i : first;
            }
            double service = fixed ? serviceSeconds : exponential(serviceSeconds, random);
            freeAt[first] = Math.max(now, freeAt[first]) + service;
            responses[count++] = freeAt[first] - now;
            now += exponential(1 / perSecond, random);
        }
        return Arrays.copyOf(responses, count);
    }

    private static double exponential(double mean, SplittableRandom random) {
        return -mean * Math.log(1 - random.nextDouble());
    }

    /// The rate at which a share of the answers takes longer than a bound.
    double capacity(double boundSeconds, double share) {
        double low = 0;
        double high = workers / serviceSeconds;
        for (int i = 0; i < 30; i++) {
            double middle = (low + high) / 2;
            if (slowShare(middle, boundSeconds) > share) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return (low + high) / 2;
    }

    private double slowShare(double perSecond, double boundSeconds) {
        return fixed ? simulated(perSecond, boundSeconds) : exact(perSecond, boundSeconds);
    }

    /// The same random numbers at each rate, so that the share grows with the rate.
    private double simulated(double perSecond, double boundSeconds) {
        double[] responses = responses(perSecond, 1_000_000 / perSecond, new SplittableRandom(1));
        long slow = Arrays.stream(responses).filter(response -> response > boundSeconds).count();
        return (double) slow / responses.length;
    }

    /// The response time of M/M/k: service, and with the probability of Erlang's C formula a wait.
    private double exact(double perSecond, double bound) {
        double rate = 1 / serviceSeconds;
        double offered = perSecond * serviceSeconds;
        double blocked = 1;
        for (int k = 1; k <= workers; k++) {
            blocked = offered * blocked / (k + offered * blocked);
        }
        double waits = blocked / (1 - offered / workers * (1 - blocked));
        double idle = workers - 1 - offered;
        double wait =
                Math.abs(idle) < 1e-9 ? rate * bound : -Math.expm1(-rate * bound * idle) / idle;
        return Math.exp(-rate * bound) * (1 + waits * wait);
    }
}
