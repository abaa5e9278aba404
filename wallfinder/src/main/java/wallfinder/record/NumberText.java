package wallfinder.record;

import java.util.Locale;
import org.HdrHistogram.Histogram;
import wallfinder.diagnosis.Limit;
import wallfinder.diagnosis.RatioInterval;

/// Formats numbers the same way in every file and locale.
public final class NumberText {
    private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private NumberText() {}

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would cost a dependency
    public static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    public static String count(long value) {
        return format("%,d", value);
    }

    public static String plural(long count, String one, String many) {
        return count(count) + " " + (count == 1 ? one : many);
    }

    public static String seconds(double seconds) {
        return format("%,.1f s", seconds);
    }

    public static String millis(double nanos) {
        double millis = nanos / 1e6;
        String form = millis < 10 ? "%,.2f ms" : millis < 100 ? "%,.1f ms" : "%,.0f ms";
        String text = format(form, millis);
        return text.equals("-0.00 ms") ? "0.00 ms" : text;
    }

    public static String percentile(Histogram nanos, double percentile) {
        return nanos.getTotalCount() == 0 ? "-" : millis(nanos.getValueAtPercentile(percentile));
    }

    public static String bytes(double bytes) {
        int unit = 0;
        while (bytes >= 1024 && unit < BYTE_UNITS.length - 1) {
            bytes /= 1024;
            unit++;
        }
        return format(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, BYTE_UNITS[unit]);
    }

    public static String interval(RatioInterval ratio) {
        return Double.isInfinite(ratio.high())
                ? format("%.2f or more", ratio.low())
                : format("%.2f-%.2f", ratio.low(), ratio.high());
    }

    /// The number at which a limit binds, with its unit.
    public static String hitAt(Limit limit, String group) {
        return limit.bytes() && limit.unit().startsWith("of ")
                ? bytes(limit.hitAt()) + " " + limit.unit()
                : number(limit.hitAt(), group) + " " + limit.unit();
    }

    /// Rounded down, to whole numbers from ten on.
    ///
    /// @param group the separator between groups of digits: a comma, or nothing
    public static String number(double value, String group) {
        if (Double.isInfinite(value) || Double.isNaN(value)) {
            return "?";
        }
        if (value >= 10 || value == Math.rint(value)) {
            return format(group.isEmpty() ? "%.0f" : "%,.0f", Math.floor(value));
        }
        return format("%.2f", value);
    }

    public static String figure(double value) {
        if (!Double.isFinite(value)) {
            return "?";
        }
        if (Math.rint(value) == value) {
            return format("%,.0f", value);
        }
        return format(Math.abs(value) < 0.1 ? "%.4f" : "%,.2f", value);
    }

    public static String perSecond(double rate) {
        return format(rate < 10 ? "%,.2f/s" : "%,.0f/s", rate);
    }
}
