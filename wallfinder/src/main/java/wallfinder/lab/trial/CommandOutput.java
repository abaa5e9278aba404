package wallfinder.lab.trial;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;

/// The output of a load command, and the figures in it. Missing figures are not estimated.
final class CommandOutput {
    /// The part at the end of the output that is read: it contains the final figures.
    private static final int BYTES_MAX = 1 << 20;

    private static final Pattern PLAIN = Pattern.compile("[0-9.]+([eE][-+]?[0-9]+)?");

    private final String text;
    private final List<Caveat> caveats = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();

    CommandOutput(String text) {
        this.text = text;
    }

    /// @param from where the output begins in the log
    static CommandOutput of(Path log, long from) {
        try (var in = Files.newInputStream(log)) {
            in.skipNBytes(Math.max(from, Files.size(log) - BYTES_MAX));
            return new CommandOutput(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether the output contains this text.
    boolean contains(Pattern words) {
        return words.matcher(text).find();
    }

    /// @param seconds the time in which the command sent its requests
    /// @param errors null if the command does not report them
    record Figures(long requests, double seconds, @Nullable Long errors) {}

    /// The doubts about the figures.
    List<Caveat> caveats() {
        List<Caveat> all = new ArrayList<>(caveats);
        if (!missing.isEmpty()) {
            all.add(Doubt.MEASURE_NOT_FOUND.caveat(String.join(", ", missing)));
        }
        return List.copyOf(all);
    }

    /// @param watched how long the command ran, in seconds
    Figures figures(LoadSpec.Measure measure, double watched) {
        OptionalDouble rate = found("rate", measure.rate(), CommandOutput::number);
        OptionalDouble requests = found("requests", measure.requests(), CommandOutput::number);
        OptionalDouble seconds = found("seconds", measure.seconds(), CommandOutput::seconds);
        OptionalDouble errors = found("errors", measure.errors(), CommandOutput::number);
        Long failed = errors.isPresent() ? Long.valueOf((long) errors.getAsDouble()) : null;
        if (requests.isPresent() && seconds.isEmpty() && rate.orElse(0) > 0) {
            seconds = OptionalDouble.of(requests.getAsDouble() / rate.getAsDouble());
        }
        if (requests.isEmpty() && seconds.isPresent() && rate.isPresent()) {
            requests = OptionalDouble.of(rate.getAsDouble() * seconds.getAsDouble());
        }
        if (requests.isPresent() && seconds.isEmpty()) {
            caveats.add(Doubt.WHOLE_LIFE.caveat(watched));
        }
        return new Figures(Math.round(requests.orElse(0)), seconds.orElse(watched), failed);
    }

    /// The sum of the figures in the pattern's last match, which is the end of running totals.
    private OptionalDouble found(
            String what, @Nullable String pattern, ToDoubleFunction<String> reader) {
        if (pattern == null) {
            return OptionalDouble.empty();
        }
        OptionalDouble found = last(Pattern.compile(pattern).matcher(text), reader);
        if (found.isEmpty()) {
            missing.add(what);
        }
        return found;
    }

    /// A match without a group counts as 0: a pattern can match a line without figures.
    private static OptionalDouble last(Matcher matcher, ToDoubleFunction<String> reader) {
        boolean matched = false;
        List<String> last = List.of();
        while (matcher.find()) {
            matched = true;
            List<String> groups = groups(matcher);
            last = groups.isEmpty() ? last : groups;
        }
        try {
            double sum = last.stream().mapToDouble(reader).sum();
            return matched ? OptionalDouble.of(sum) : OptionalDouble.empty();
        } catch (NumberFormatException | UsageException e) {
            return OptionalDouble.empty();
        }
    }

    private static List<String> groups(Matcher matcher) {
        List<String> groups = new ArrayList<>();
        for (int group = 1; group <= matcher.groupCount(); group++) {
            if (matcher.group(group) != null) {
                groups.add(matcher.group(group));
            }
        }
        return groups;
    }

    /// `1,510,322` is one number; `12.3k` is 12,300.
    private static double number(String text) {
        String plain = text.replace(",", "");
        return PLAIN.matcher(plain).matches() ? Double.parseDouble(plain) : Quantity.number(plain);
    }

    private static double seconds(String text) {
        String plain = text.replace(",", "");
        return PLAIN.matcher(plain).matches()
                ? Double.parseDouble(plain)
                : Quantity.duration(plain).toNanos() / 1e9;
    }
}
