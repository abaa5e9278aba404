package wallfinder.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Decides when a service is warm: its rate has stopped to grow. Fed with the rate of each window
/// in turn.
///
/// The mean of the last windows is held against the mean of as many before them, so that a rate
/// that jumps up and down (a wall makes it do so) counts as steady, and one that still climbs does
/// not.
final class Steady {
    static final Duration WINDOW = Duration.ofMillis(500);
    private static final int WINDOWS = 3;
    private static final double GROWTH_MAX = 1.05;

    private final List<Double> rates = new ArrayList<>();

    /// @return true if the rate is steady, this window included
    boolean add(double perSecond) {
        rates.add(perSecond);
        int size = rates.size();
        if (size < 2 * WINDOWS) {
            return false;
        }
        double last = mean(size - WINDOWS, size);
        double before = mean(size - 2 * WINDOWS, size - WINDOWS);
        return last > 0 && last <= GROWTH_MAX * before;
    }

    private double mean(int from, int to) {
        return rates.subList(from, to).stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(0);
    }
}
