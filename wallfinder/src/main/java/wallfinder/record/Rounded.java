package wallfinder.record;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/// Numbers for files: only meaningful digits, and never `NaN`.
public final class Rounded {
    private Rounded() {}

    /// Rounded to this many decimals, or null if the value is not finite.
    public static @Nullable BigDecimal to(int decimals, @Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return null;
        }
        BigDecimal plain =
                BigDecimal.valueOf(value)
                        .setScale(decimals, RoundingMode.HALF_UP)
                        .stripTrailingZeros();
        return plain.scale() < 0 ? plain.setScale(0) : plain;
    }

    /// The number itself: whole if it has no fraction; null if it is not finite.
    public static @Nullable Object exact(double value) {
        if (!Double.isFinite(value)) {
            return null;
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? (Object) (long) value : value;
    }

    /// All digits as plain text; empty if the value is not finite.
    static String whole(double value) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
                : "";
    }
}
