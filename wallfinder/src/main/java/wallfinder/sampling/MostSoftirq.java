package wallfinder.sampling;

import java.util.Arrays;

/// Finds the CPU that has handled software interrupts for the most time since the first reading,
/// and adds up its time between readings. If another CPU becomes the first, its time counts from
/// then on, so a sum never contains more than the time that has passed.
final class MostSoftirq {
    private final double[] softirqFirst;
    private final double[] softirqLast;
    private final double[] idleLast;
    private double softirqTicks;
    private double idleTicks;
    private int cpu;

    private int leader = -1;
    private double leaderTotal;
    private double leaderSoftirq;
    private double leaderIdle;

    MostSoftirq(int cpus) {
        softirqFirst = unread(cpus);
        softirqLast = unread(cpus);
        idleLast = unread(cpus);
    }

    private static double[] unread(int cpus) {
        double[] values = new double[cpus];
        Arrays.fill(values, Double.NaN);
        return values;
    }

    /// A CPU in the present reading.
    void add(int number, double softirq, double idle) {
        if (Double.isNaN(softirqFirst[number])) {
            softirqFirst[number] = softirq;
            softirqLast[number] = softirq;
            idleLast[number] = idle;
        }
        double total = softirq - softirqFirst[number];
        if (leader < 0 || total > leaderTotal) {
            leader = number;
            leaderTotal = total;
            leaderSoftirq = softirq - softirqLast[number];
            leaderIdle = idle - idleLast[number];
        }
        softirqLast[number] = softirq;
        idleLast[number] = idle;
    }

    /// Ends the present reading.
    void next() {
        if (leader >= 0) {
            softirqTicks += leaderSoftirq;
            idleTicks += leaderIdle;
            cpu = leader;
        }
        leader = -1;
    }

    /// The sums are 0 at the first reading.
    double softirqTicks() {
        return softirqTicks;
    }

    double idleTicks() {
        return idleTicks;
    }

    int cpu() {
        return cpu;
    }
}
