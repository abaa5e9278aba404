package wallfinder.diagnosis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;

/// A limit that a plan meets, and the number at which it binds.
///
/// @param wall its id; some limits have no wall that a load could name
/// @param inUse the part in use now, `NaN` if unknown
/// @param needs what the plan needs, in `unit`; `NaN` if unknown
/// @param hitAt the number at which it binds, in `unit`
/// @param bytes whether `limit` and `inUse` are sizes of memory
/// @param decides whether a plan that needs more than the limit does not fit; false if the plan
///   only gets slower, or if it is uncertain whether the plan meets the limit
/// @param note a remark, or null
/// @param moves what would move the limit, the best first
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

    /// The same on another host.
    public Limit on(String host) {
        return new Limit(
                wall,
                end,
                limit,
                inUse,
                needs,
                hitAt,
                unit,
                bytes,
                decides,
                setBy,
                source,
                note,
                moves.stream().map(move -> "on %s: %s".formatted(host, move)).toList());
    }

    /// The share that the plan takes: 1 is all, `NaN` is unknown.
    public double share() {
        return hitAt > 0 ? needs / hitAt : needs > 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    }

    public boolean fits() {
        return !(share() > 1);
    }

    public boolean stops() {
        return decides && !fits();
    }
}
