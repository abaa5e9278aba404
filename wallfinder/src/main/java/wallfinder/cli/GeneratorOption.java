package wallfinder.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.Origin;
import wallfinder.remote.GeneratorTarget;

/// The hosts that generate the load, if others than this one do.
final class GeneratorOption {
    private static final String NAME = "--generator";

    @Option(
            names = {NAME, "--generators"},
            paramLabel = "ssh:[USER@]HOST|k8s:NAMESPACE?replicas=N",
            description =
                    "Generate the load on this host instead of here, by your ssh, or in pods of a"
                            + " Kubernetes cluster, by your kubectl. May be repeated: all act as one,"
                            + " and a host named twice runs two agents.")
    private List<String> generators = List.of();

    /// Checks the load before anything connects, or that the service answers.
    void check(LoadSpec.Http http, Origin origin) {
        List<GeneratorTarget> hosts = targets();
        if (hosts.isEmpty()) {
            UrlLoad.check(http);
        } else {
            Generators.check(http, origin, hosts);
        }
    }

    /// Checks connections that are held, before anything connects.
    ///
    /// @return whether other hosts hold them
    boolean check(HoldSpec spec, Origin origin) {
        List<GeneratorTarget> hosts = targets();
        if (!hosts.isEmpty()) {
            Generators.check(spec, origin, hosts);
        }
        return !hosts.isEmpty();
    }

    private List<GeneratorTarget> targets() {
        return generators.stream().map(text -> GeneratorTarget.parse(NAME, text)).toList();
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

    /// @return null without the option
    @Nullable Generators start(Progress progress) {
        return OtherHosts.start(targets(), progress);
    }
}
