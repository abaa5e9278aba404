package wallfinder.lab.capacity;

import java.util.Arrays;
import java.util.SplittableRandom;

/// A queue in front of equal workers, for simulations: M/M/k or M/D/k.
///
/// @param fixed whether each answer takes the same time, or an exponentially distributed one
record Queue(int workers, double serviceSeconds, boolean fixed) {
    private static final int IN_SYSTEM_MAX = 500;

    /// Of four workers, more come during one service with a probability of about 1e-26.
    private static final int ARRIVALS_MAX = 40;

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
        return fixed ? exactFixed(perSecond, boundSeconds) : exact(perSecond, boundSeconds);
    }

    /// The waiting time of M/D/k, by Franx, "A simple solution for the M/D/c waiting time
    /// distribution", Operations Research Letters 29 (2001).
    private double exactFixed(double perSecond, double bound) {
        double wait = bound - serviceSeconds;
        if (wait < 0) {
            return 1;
        }
        double[] inSystem = stationary(perSecond * serviceSeconds);
        int services = (int) (wait / serviceSeconds) + 1;
        double arrivals = perSecond * (services * serviceSeconds - wait);
        int terms = services * workers;
        double inTime = 0;
        double poisson = Math.exp(-arrivals);
        for (int j = 0; j < terms; j++) {
            int queued = terms - 1 - j;
            inTime += poisson * Arrays.stream(inSystem, 0, workers + queued + 1).sum();
            poisson *= arrivals / (j + 1);
        }
        return 1 - inTime;
    }

    /// How many requests are in the system, as probabilities. After the time of one service, those
    /// that were served are gone, and a Poisson number of new ones is there.
    private double[] stationary(double arrivals) {
        double[] poisson = new double[ARRIVALS_MAX];
        poisson[0] = Math.exp(-arrivals);
        for (int i = 1; i < poisson.length; i++) {
            poisson[i] = poisson[i - 1] * arrivals / i;
        }
        double[] now = new double[IN_SYSTEM_MAX];
        now[0] = 1;
        double change = 1;
        while (change > 1e-10) {
            double[] next = new double[now.length];
            for (int i = 0; i < now.length; i++) {
                int left = Math.max(0, i - workers);
                for (int j = 0; j < poisson.length; j++) {
                    next[Math.min(left + j, next.length - 1)] += now[i] * poisson[j];
                }
            }
            change = 0;
            for (int i = 0; i < now.length; i++) {
                change += Math.abs(next[i] - now[i]);
            }
            now = next;
        }
        return now;
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
