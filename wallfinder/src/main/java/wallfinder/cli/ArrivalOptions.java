package wallfinder.cli;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;

/// When requests go: after answers (closed, lockstep), or by the clock (rate, poisson, stages).
///
/// A stage with one rate is a step, with two rates a ramp, as in an experiment. (k6's `--stage
/// 30s:1k` is always a ramp, which begins at the end of the stage before it.)
final class ArrivalOptions {
    private static final Duration STAGE_MAX = Duration.ofDays(30);
    private static final Pattern STAGE = Pattern.compile("([^:]+):([^:-]+)(?:-([^:-]+))?");

    @Option(
            names = {"-R", "--rate"},
            paramLabel = "N",
            description =
                    "Requests a second, sent when they are due, even if answers are slow (an open"
                            + " loop). Without it each connection waits for its answer.")
    @Nullable String rate;

    @Option(
            names = "--poisson",
            description =
                    "With --rate: requests are due at random times, independently of each other, as"
                            + " those of many people are (a Poisson process).")
    boolean poisson;

    @Option(
            names = "--stages",
            paramLabel = "TIME:RATE[-RATE]",
            split = ",",
            description =
                    "Rates one after the other, as in 30s:1k,1m:1k-5k,10s:0. A step keeps its rate;"
                            + " a ramp goes evenly from the first rate to the second. Without -d"
                            + " the load takes as long as the stages. May be repeated.")
    List<String> stages = List.of();

    @Option(
            names = "--lockstep",
            description =
                    "All connections send at once. The next batch goes when the last answer is in.")
    boolean lockstep;

    Arrival arrival() {
        refuseContradictions();
        if (!stages.isEmpty()) {
            if (stages.size() > Arrival.Open.STAGES_MAX) {
                throw unusable("--stages", "there are more than " + Arrival.Open.STAGES_MAX);
            }
            return new Arrival.Stages(stages.stream().map(ArrivalOptions::stage).toList());
        }
        if (rate != null) {
            double perSecond = Quantity.number(rate);
            if (perSecond <= 0 || perSecond > Arrival.Open.RATE_MAX) {
                throw new UsageException(
                        "--rate " + rate + " cannot be used",
                        "a rate must be above 0 and at most 10 million",
                        "give another number, as in 5k");
            }
            return poisson ? new Arrival.Poisson(perSecond) : new Arrival.Rate(perSecond);
        }
        return lockstep ? new Arrival.Lockstep() : new Arrival.Closed();
    }

    private void refuseContradictions() {
        if (rate == null && poisson) {
            throw new UsageException(
                    "--poisson cannot be used alone",
                    "it needs a rate",
                    "add the rate, as in -R 5k --poisson");
        }
        if (lockstep && (rate != null || !stages.isEmpty())) {
            throw new UsageException(
                    "%s and --lockstep cannot be used together"
                            .formatted(rate == null ? "--stages" : "--rate"),
                    "a rate sends by the clock, lockstep after the answers",
                    "leave one of them out");
        }
        if (rate != null && !stages.isEmpty()) {
            throw new UsageException(
                    "--rate and --stages cannot be used together",
                    "each stage has its own rate",
                    "leave --rate out, or write it as a stage: --stages 30s:" + rate);
        }
    }

    private static Arrival.Stage stage(String text) {
        String what = "--stages " + text;
        Matcher parts = STAGE.matcher(text.strip());
        if (!parts.matches()) {
            throw unusable(what, "it is neither TIME:RATE nor TIME:RATE-RATE");
        }
        Duration length = as(what, parts.group(1), Quantity::duration);
        if (length.isZero() || length.isNegative() || length.compareTo(STAGE_MAX) > 0) {
            throw unusable(what, "its time is not above 0, or more than 30 days");
        }
        double from = rate(what, parts.group(2));
        String to = parts.group(3);
        return new Arrival.Stage(length, from, to == null ? from : rate(what, to));
    }

    /// A stage may also be a pause.
    private static double rate(String what, String text) {
        double rate = as(what, text, Quantity::number);
        if (rate > Arrival.Open.RATE_MAX) {
            throw unusable(what, "a rate is at most 10 million a second");
        }
        return rate;
    }

    private static <T> T as(String what, String text, Function<String, T> reader) {
        try {
            return reader.apply(text.strip());
        } catch (UsageException e) {
            throw unusable(what, "%s: %s".formatted(text.strip(), e.why()));
        }
    }

    private static UsageException unusable(String what, String why) {
        return new UsageException(
                what + " cannot be used",
                why,
                "write a step as 30s:1k, a ramp as 1m:1k-5k, several with commas");
    }
}
