package wallfinder.junit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/// A measurement that has not run yet. Each method returns a new one, and [#run] runs it. A later
/// value replaces an earlier one.
///
/// Its options are those of the program, which also checks them: `docs/load.md` of Wallfinder lists
/// them. With an experiment, the file says how the load is driven.
///
/// @param <R> the kind of result
public final class Measurement<R extends Result> {
    private static final int DONE = 0;
    private static final int OBJECTIVE_MISSED = 1;
    private static final int INVALID = 4;

    private final Measurements measurements;
    private final List<String> subject;
    private final List<Option> options;
    private final Reading<R> reading;
    private final Duration timeMax;
    private final WhenInvalid whenInvalid;

    private record Option(String name, List<String> values) {
        Stream<String> words() {
            return Stream.concat(Stream.of(name), values.stream());
        }
    }

    /// Makes a result of `run.json`.
    interface Reading<R> {
        R of(RunJson json);
    }

    /// @param subject the command and what it measures
    Measurement(
            Measurements measurements,
            List<String> subject,
            Reading<R> reading,
            Duration timeMax,
            WhenInvalid whenInvalid) {
        this(measurements, subject, List.of(), reading, timeMax, whenInvalid);
    }

    private Measurement(
            Measurements measurements,
            List<String> subject,
            List<Option> options,
            Reading<R> reading,
            Duration timeMax,
            WhenInvalid whenInvalid) {
        this.measurements = measurements;
        this.subject = List.copyOf(subject);
        this.options = List.copyOf(options);
        this.reading = reading;
        this.timeMax = timeMax;
        this.whenInvalid = whenInvalid;
    }

    /// How many connections the load uses.
    public Measurement<R> connections(int connections) {
        return once("--connections", Integer.toString(connections));
    }

    /// How long a trial measures.
    public Measurement<R> duration(Duration duration) {
        return once("--duration", milliseconds(duration));
    }

    /// Requests a second, sent when they are due, whether or not earlier ones are answered: an open
    /// loop. Without a rate, each connection sends its next request when its last answer is
    /// complete.
    public Measurement<R> rate(double perSecond) {
        return once("--rate", String.format(Locale.ROOT, "%.3f", perSecond));
    }

    /// Before the measurement, drives the service until it is warm, for at most this time.
    public Measurement<R> warmup(Duration timeMax) {
        return once("--warmup", milliseconds(timeMax));
    }

    /// A header of each request, besides those that were given before.
    public Measurement<R> header(String name, String value) {
        return option("--header", name + ": " + value);
    }

    /// What must hold, such as `p99 < 50ms, errors < 1%, rate > 500`. If it does not, [#run] fails
    /// the test. The program reads and judges it: `docs/load.md` of Wallfinder has the metrics.
    public Measurement<R> objective(String expression) {
        return once("--objective", expression);
    }

    /// Any other option of the program, such as `option("--no-keepalive")` or `option("--method",
    /// "POST")`.
    public Measurement<R> option(String name, String... values) {
        List<Option> more = new ArrayList<>(options);
        more.add(new Option(name, List.of(values)));
        return with(more);
    }

    /// Replaces an option, so that a test can change a measurement that it shares with others.
    private Measurement<R> once(String name, String value) {
        List<Option> others = new ArrayList<>(options);
        others.removeIf(option -> option.name().equals(name));
        others.add(new Option(name, List.of(value)));
        return with(others);
    }

    private Measurement<R> with(List<Option> other) {
        return new Measurement<>(measurements, subject, other, reading, timeMax, whenInvalid);
    }

    /// The longest time that the program may take, from the moment when its turn to measure comes.
    /// The default is 3 minutes for a load, and 30 minutes for the others.
    public Measurement<R> timeout(Duration timeMax) {
        return new Measurement<>(measurements, subject, options, reading, timeMax, whenInvalid);
    }

    /// What becomes of the test if the measurement proves nothing about the service.
    public Measurement<R> whenInvalid(WhenInvalid whenInvalid) {
        return new Measurement<>(measurements, subject, options, reading, timeMax, whenInvalid);
    }

    /// Measures, and waits for the result.
    ///
    /// @throws AssertionFailedError if the objective was missed
    /// @throws TestAbortedException if the measurement proves nothing about the service, unless
    ///   [#whenInvalid] says otherwise
    /// @throws WallfinderException if it could not be made: an option is wrong, nothing answers, or
    ///   the program is missing
    public R run() {
        Path folder = measurements.unused(subject.get(0), "");
        List<String> words =
                Stream.concat(subject.stream(), options.stream().flatMap(Option::words)).toList();
        int exit = measurements.program(folder, words, timeMax);
        if (!Stream.of(DONE, OBJECTIVE_MISSED, INVALID).anyMatch(code -> code == exit)) {
            throw measurements.failure(folder, exit);
        }
        R result = reading.of(RunJson.read(folder));
        if (exit == INVALID) {
            String ended = result.run().ended();
            String why = ended.isEmpty() ? "the generator was the limit" : ended;
            judgeInvalid("the measurement is invalid: " + why, result);
        } else if (result.wall() == Wall.CPU_STEAL) {
            judgeInvalid("the machine was the limit, and not the service", result);
        } else if (exit == OBJECTIVE_MISSED) {
            judgeMissed(result);
        }
        measurements.add(result);
        return result;
    }

    private void judgeMissed(R result) {
        Map<String, String> disturbances =
                result instanceof CapacityResult capacity
                        ? capacity.disturbances()
                        : result.trial().disturbances();
        String missed = "the objective was missed";
        if (disturbances.isEmpty()) {
            throw new AssertionFailedError(text(missed, result));
        }
        String why =
                disturbances.entrySet().stream()
                        .map(doubt -> doubt.getKey() + ": " + doubt.getValue())
                        .collect(Collectors.joining("; "));
        judgeInvalid(missed + ", which proves nothing: " + why, result);
    }

    private void judgeInvalid(String what, R result) {
        switch (whenInvalid) {
            case ABORT -> throw new TestAbortedException(text(what, result));
            case FAIL -> throw new AssertionFailedError(text(what, result));
            case RETURN -> {}
        }
    }

    private static String text(String what, Result result) {
        return "%s%n  command:    %s%n%s".formatted(what, result.run().command(), result.summary());
    }

    private static String milliseconds(Duration duration) {
        return duration.toMillis() + "ms";
    }
}
