package wallfinder.sampling;

import java.util.Arrays;

/// Finds the CPU that has handled software interrupts for the most time since the first reading,
/// and adds up its time between readings. If another CPU becomes the first, its time counts from
/// then on, so a sum never contains more than the time that has passed.
final class MostSoftirq {
    private final double[] softirqFirst;
    private final double[] softirqLast;
    private final double[] idleLast;
    private final double[] countedLast;
    private double softirqTicks;
    private double idleTicks;
    private double countedTicks;
    private int cpu;

    private int leader = -1;
    private double leaderTotal;
    private double leaderSoftirq;
    private double leaderIdle;
    private double leaderCounted;

    MostSoftirq(int cpus) {
        softirqFirst = unread(cpus);
        softirqLast = unread(cpus);
        idleLast = unread(cpus);
        countedLast = unread(cpus);
    }

    private static double[] unread(int cpus) {
        double[] values = new double[cpus];
        Arrays.fill(values, Double.NaN);
        return values;
    }

    /// A CPU in the present reading.
    ///
    /// @param counted its ticks of any kind
    void add(int number, double softirq, double idle, double counted) {
        if (Double.isNaN(softirqFirst[number])) {
            softirqFirst[number] = softirq;
            softirqLast[number] = softirq;
            idleLast[number] = idle;
            countedLast[number] = counted;
        }
        double total = softirq - softirqFirst[number];
        if (leader < 0 || total > leaderTotal) {
            leader = number;
            leaderTotal = total;
            leaderSoftirq = softirq - softirqLast[number];
            leaderIdle = idle - idleLast[number];
            leaderCounted = counted - countedLast[number];
        }
        softirqLast[number] = softirq;
        idleLast[number] = idle;
        countedLast[number] = counted;
    }

    /// Ends the present reading.
    void next() {
        if (leader >= 0) {
            softirqTicks += leaderSoftirq;
            idleTicks += leaderIdle;
            countedTicks += leaderCounted;
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

    double countedTicks() {
        return countedTicks;
    }

    int cpu() {
        return cpu;
    }
}
