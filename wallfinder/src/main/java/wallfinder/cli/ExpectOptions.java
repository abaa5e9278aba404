package wallfinder.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.Expectation;

/// Which answers are good.
final class ExpectOptions {
    @Option(
            names = "--expect",
            paramLabel = "STATUS",
            split = ",",
            description =
                    "Count only answers with these statuses as good, as in 200,404 or 2xx (default:"
                            + " 2xx,3xx).")
    @Nullable List<String> statuses;

    @Option(
            names = "--expect-body",
            paramLabel = "TEXT",
            description = "Count only answers as good whose body contains this text.")
    @Nullable String body;

    Expectation expectation() {
        return new Expectation(statuses == null ? Expectation.DEFAULT.statuses() : statuses, body);
    }
}
