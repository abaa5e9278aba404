package wallfinder.record;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/// Rounds numbers for files: only meaningful digits, and never `NaN` or an exponent.
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

    /// All digits as plain text; empty if the value is not finite.
    static String whole(double value) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
                : "";
    }
}
