package wallfinder.record;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/// Numbers as they are written into files: no more digits than mean something, and never `NaN` or
/// an exponent.
public final class Rounded {
    private Rounded() {}

    /// Rounded to so many decimals, or null if it is not a finite number.
    public static @Nullable BigDecimal to(int decimals, @Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return null;
        }
        return plain(BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP));
    }

    /// All its digits, as plain text; empty if it is not a finite number.
    static String whole(double value) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
                : "";
    }

    private static BigDecimal plain(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }
}
