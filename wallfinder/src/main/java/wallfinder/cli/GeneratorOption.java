package wallfinder.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.session.Progress;
import wallfinder.remote.SshTarget;

/// The hosts that generate the load, if others than this one do.
final class GeneratorOption {
    private static final String NAME = "--generator";

    @Option(
            names = NAME,
            paramLabel = "ssh:[USER@]HOST",
            description =
                    "Generate the load on this host instead of here, by your ssh. May be repeated:"
                            + " the hosts act as one, and a host named twice runs two agents.")
    private List<String> generators = List.of();

    List<SshTarget> targets() {
        return generators.stream().map(text -> SshTarget.parse(NAME, text)).toList();
    }

    /// @throws UsageException if both are there
    void excludes(String option, @Nullable Object value, String why) {
        if (!generators.isEmpty() && value != null) {
            throw new UsageException(
                    "%s and %s cannot be used together".formatted(NAME, option),
                    why,
                    "leave one out");
        }
    }

    /// @return null without the option
    @Nullable Generators start(Progress progress) {
        return generators.isEmpty()
                ? null
                : Generators.start(targets(), Console.home(), Version.number(), progress);
    }
}
