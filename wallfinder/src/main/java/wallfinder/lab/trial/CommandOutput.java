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

/// What a load command printed, from which its figures are read. What it does not tell is not
/// guessed.
final class CommandOutput {
    /// What a program tells at last stands at its end.
    private static final int BYTES_MAX = 1 << 20;

    private static final Pattern PLAIN = Pattern.compile("[0-9.]+([eE][-+]?[0-9]+)?");

    private final String text;
    private final List<Caveat> caveats = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();

    CommandOutput(String text) {
        this.text = text;
    }

    /// @param from where in the log its output begins
    static CommandOutput of(Path log, long from) {
        try (var in = Files.newInputStream(log)) {
            in.skipNBytes(Math.max(from, Files.size(log) - BYTES_MAX));
            return new CommandOutput(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether it has printed this yet.
    boolean contains(Pattern words) {
        return words.matcher(text).find();
    }

    /// What it did.
    ///
    /// @param seconds in which it did it
    /// @param errors null if it does not tell
    record Figures(long requests, double seconds, @Nullable Long errors) {}

    /// What was doubtful about them.
    List<Caveat> caveats() {
        List<Caveat> all = new ArrayList<>(caveats);
        if (!missing.isEmpty()) {
            all.add(Doubt.MEASURE_NOT_FOUND.caveat(String.join(", ", missing)));
        }
        return List.copyOf(all);
    }

    /// @param watched how long the program lived
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

    /// The figures that the pattern's groups find last, added, so that running totals are read at
    /// their end.
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

    /// A match without any group is none of all of them: so a pattern can tell what a program says
    /// where there is nothing to count.
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
