package wallfinder.junit;

import org.jspecify.annotations.Nullable;

/// What `capacity` found.
///
/// @param trial the trial at the wall directly above the capacity; the last one if there is no such
///   wall
/// @param ratePerSecond the highest rate that holds the objective; NaN if none was found
/// @param low the lower end of its 95 % interval; zero if it is not known
/// @param high the upper end; NaN if it is not known, or if the generator was the limit
/// @param wall the wall directly above; null if none was found
/// @param confirmed whether most pairs of trials held the objective below the rate and missed it
///   above
public record CapacityResult(
        Run run,
        Trial trial,
        double ratePerSecond,
        double low,
        double high,
        @Nullable Wall wall,
        boolean confirmed)
        implements Result {
    @Override
    public String figures() {
        return "capacity %s/s (95 %% interval %s-%s)"
                .formatted(Figures.rate(ratePerSecond), Figures.rate(low), Figures.rate(high));
    }
}
