package wallfinder.lab;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// How near a control comes to a wall that it must not be taken for: `A of B`. Each is a number or
/// the name of a counter, after the word `client` for a counter of that end. `*` in a name stands
/// for any text. A number before a name, such as `0.8 NAME`, is a factor. A limit may also be a
/// kernel setting, after the word `sysctl`.
///
/// A gauge counts with its largest value, or after the word `mean` with its mean; as a limit it
/// counts with its last value. A growing counter counts with its rate per second, or after the word
/// `first` with its value at the start of the measurement.
record HardBound(String text, String quantity, String limit) {
    static final double SHARE_MIN = 0.5;

    private static final String SYSCTL = "sysctl ";
    private static final Pattern FORM = Pattern.compile("(.+) of (.+)");
    private static final Pattern PART = Pattern.compile("([\\d.]+) (.+)");

    static HardBound of(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not 'A of B'");
        }
        return new HardBound(text, form.group(1).strip(), form.group(2).strip());
    }

    /// The share of the limit that was reached; NaN if a value is unknown.
    double share(Observation observation) {
        return value(quantity, observation, false) / value(limit, observation, true);
    }

    private static double value(String name, Observation observation, boolean last) {
        if (name.matches("[\\d.]+")) {
            return Double.parseDouble(name);
        }
        Matcher part = PART.matcher(name);
        if (part.matches()) {
            return Double.parseDouble(part.group(1)) * value(part.group(2), observation, last);
        }
        String rest = name.replaceFirst("^(first|mean) ", "");
        End end = rest.startsWith("client ") ? End.CLIENT : End.SERVER;
        String bare = rest.replaceFirst("^client ", "");
        if (bare.startsWith(SYSCTL)) {
            return observation
                    .facts()
                    .sysctl(bare.substring(SYSCTL.length()), end)
                    .map(Double::parseDouble)
                    .orElse(Double.NaN);
        }
        Pattern wanted = wanted(bare);
        List<Series> found =
                observation.timeline().series().stream()
                        .filter(s -> s.counter().end() == end)
                        .filter(s -> wanted.matcher(s.counter().name()).matches())
                        .toList();
        return found.stream()
                .mapToDouble(s -> last ? limit(s, observation) : reached(name, s, observation))
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(Double.NaN);
    }

    private static double limit(Series series, Observation observation) {
        return series.counter().kind() == Counter.Kind.GAUGE
                ? series.last()
                : reached("", series, observation);
    }

    private static double reached(String name, Series series, Observation observation) {
        if (name.startsWith("first ")) {
            return series.first();
        }
        if (name.startsWith("mean ")) {
            return Arrays.stream(series.values())
                    .filter(value -> !Double.isNaN(value))
                    .average()
                    .orElse(Double.NaN);
        }
        if (series.counter().kind() == Counter.Kind.GAUGE) {
            return series.max();
        }
        long[] nanos = observation.timeline().nanos();
        return series.growth() / ((nanos[nanos.length - 1] - nanos[0]) / 1e9);
    }

    private static Pattern wanted(String name) {
        StringBuilder pattern = new StringBuilder();
        for (String part : name.split("\\*", -1)) {
            pattern.append(pattern.isEmpty() ? "" : ".*").append(Pattern.quote(part));
        }
        return Pattern.compile(pattern.toString());
    }
}
