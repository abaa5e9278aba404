package wallfinder.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.trial.Origin;

/// Where a load comes from on this host, and its objective: for requests and for held connections.
final class DriverOptions {
    @Option(
            names = "--source",
            paramLabel = "ADDR[-ADDR]",
            description = "The addresses to connect from (default: the kernel's choice).")
    @Nullable String source;

    @Option(
            names = "--cpuset",
            paramLabel = "CPUS",
            description =
                    "The CPUs of the engine threads, one each in turn, as in 0-2,5 (default: the"
                            + " kernel's choice).")
    @Nullable String cpuset;

    @Option(
            names = "--objective",
            paramLabel = "EXPRESSION",
            description =
                    "What the service must reach, such as 'p99 < 50ms, errors < 1%%, rate > 5k'."
                            + " Exit code 1 if it does not.")
    @Nullable String objective;

    Origin origin() {
        return Origin.parse(source, cpuset);
    }

    /// The objective of one trial.
    @Nullable Objective objective() {
        Objective parsed = objectiveWithCapacity();
        if (parsed != null && parsed.bounds().stream().anyMatch(Objective.Bound::ofCapacity)) {
            throw new UsageException(
                    "--objective '" + objective + "' cannot be used here",
                    "one load has no capacity",
                    "use the command capacity, or write the bound as 'rate > 5k'");
        }
        return parsed;
    }

    @Nullable Objective objectiveWithCapacity() {
        return objective == null ? null : Objective.parse(objective);
    }
}
