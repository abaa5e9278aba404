package wallfinder.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.Origin;
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

    /// Checks the load before anything connects, or that the service answers.
    void check(LoadSpec.Http http, Origin origin) {
        List<SshTarget> hosts = targets();
        if (hosts.isEmpty()) {
            UrlLoad.check(http);
        } else {
            Generators.check(http, origin, hosts.size());
        }
    }

    private List<SshTarget> targets() {
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

    /// The experiment with the load from these hosts, if there are any.
    Experiment of(Experiment experiment) {
        targets(); // checks them
        return generators.isEmpty() ? experiment : experiment.from(generators);
    }

    /// @throws UsageException with the option
    void refuseWithExperiment() {
        if (!generators.isEmpty()) {
            throw new UsageException(
                    NAME + " cannot be used with this experiment",
                    "this command generates the load of an experiment on this host",
                    "use find or run, leave it out, or give the URL of a running service");
        }
    }

    /// @return null without the option
    @Nullable Generators start(Progress progress) {
        return ServiceHosts.start(targets(), progress);
    }
}
