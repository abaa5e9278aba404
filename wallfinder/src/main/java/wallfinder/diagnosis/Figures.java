package wallfinder.diagnosis;

import java.util.regex.Pattern;
import wallfinder.observation.End;
import wallfinder.observation.Series;

/// Shapes in which walls tell their evidence.
final class Figures {
    private static final Pattern WHOLE = Pattern.compile("\\d{1,18}");

    private Figures() {}

    /// A counter that grew.
    static Evidence growth(Series series, String says) {
        return new Evidence(
                series.counter().name(),
                series.counter().end(),
                series.first(),
                series.last(),
                null,
                series.counter().source(),
                says);
    }

    /// A level against what it may not pass.
    static Evidence level(Series series, double limit, String says) {
        return new Evidence(
                series.counter().name(),
                series.counter().end(),
                series.first(),
                series.max(),
                limit,
                series.counter().source(),
                says);
    }

    /// A figure of the load itself or one derived from several.
    static Evidence seen(String name, End end, long value, String source, String says) {
        return new Evidence(name, end, null, (double) value, null, source, says);
    }

    /// A derived figure against what it may not pass.
    static Evidence against(
            String name, End end, double value, double limit, String source, String says) {
        return new Evidence(name, end, null, value, limit, source, says);
    }

    /// A whole number, or -1 if the text is none.
    static long number(String text) {
        return WHOLE.matcher(text.strip()).matches() ? Long.parseLong(text.strip()) : -1;
    }

    static String percent(double share) {
        return "%.0f %%".formatted(share * 100);
    }

    static String millis(double nanos) {
        return nanos < 10e6 ? "%.2f ms".formatted(nanos / 1e6) : "%.0f ms".formatted(nanos / 1e6);
    }
}
