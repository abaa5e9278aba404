package wallfinder.record;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Objective;

/// What an objective asks of a capacity, such as `capacity > 2k`, and what was found. It is missed
/// only if the whole interval misses it.
public record CapacityBound(Objective.Bound bound, CapacityRecord found) {
    /// The bound and the interval of the capacity.
    public enum State {
        MET,
        /// The bound is within the interval. It counts as met, but is proven neither way.
        WITHIN,
        MISSED,
        /// There is no interval, or only a lower bound of the capacity that decides nothing.
        UNKNOWN
    }

    public static List<CapacityBound> of(Objective objective, CapacityRecord found) {
        return objective.bounds().stream()
                .filter(Objective.Bound::ofCapacity)
                .map(bound -> new CapacityBound(bound, found))
                .toList();
    }

    public State state() {
        double best = bound.below() ? found.low() : found.high();
        double worst = bound.below() ? found.high() : found.low();
        if (bound.holds(worst)) {
            return State.MET;
        }
        if (!bound.holds(best)) {
            return State.MISSED;
        }
        return Double.isFinite(found.high()) ? State.WITHIN : State.UNKNOWN;
    }

    /// `capacity > 2,000.0/s`.
    public String asked() {
        return NumberText.format(
                "capacity %s%s %,.1f/s",
                bound.below() ? "<" : ">", bound.orEqual() ? "=" : "", bound.limit());
    }

    /// Why nothing is proven, without full stop; null if something is.
    public @Nullable String doubt() {
        return switch (state()) {
            case MET, MISSED -> null;
            case WITHIN ->
                    "'%s' is proven neither way: the bound is within the interval"
                            .formatted(asked());
            case UNKNOWN ->
                    found.isLowerBound()
                            ? "'%s' is unknown: the capacity is a lower bound".formatted(asked())
                            : "'%s' is unknown: the capacity has no interval".formatted(asked());
        };
    }
}
