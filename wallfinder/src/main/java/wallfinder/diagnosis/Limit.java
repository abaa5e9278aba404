package wallfinder.diagnosis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;

/// A limit that a plan meets, and the number at which it binds.
///
/// @param wall its id; a limit can be known before there is a way to name its wall under load
/// @param limit as it is set
/// @param inUse how much of it is taken now, `NaN` if not known
/// @param needs what the plan needs, in `unit`; `NaN` if the plan does not say or nobody knows
/// @param hitAt where it binds, in `unit`
/// @param unit such as `connections` or `requests/s`
/// @param bytes whether `limit` and `inUse` are sizes of memory
/// @param decides whether a plan that needs more does not fit; false where it only gets slower, or
///   where it is not certain that the limit is met
/// @param note what else has to be known, or null
/// @param moves what would move it, the first to be tried first
public record Limit(
        String wall,
        End end,
        double limit,
        double inUse,
        double needs,
        double hitAt,
        String unit,
        boolean bytes,
        boolean decides,
        String setBy,
        String source,
        @Nullable String note,
        List<String> moves) {
    public Limit {
        moves = List.copyOf(moves);
    }

    /// How much of what there is the plan takes: 1 is all; `NaN` if not known.
    public double share() {
        return hitAt > 0 ? needs / hitAt : needs > 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    }

    /// False if the plan needs more than there is.
    public boolean fits() {
        return !(share() > 1);
    }

    /// Whether the plan ends here.
    public boolean stops() {
        return decides && !fits();
    }
}
