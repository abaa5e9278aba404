package wallfinder.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.RemoteServices;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.Origin;
import wallfinder.remote.SshTarget;

/// The other hosts of an experiment: the one where its services run, and those that generate its
/// load.
final class ServiceHosts {
    private ServiceHosts() {}

    /// @return null if the services run here
    /// @throws UsageException if the host cannot be one, or if there are several
    static @Nullable SshTarget target(List<Experiment> experiments) {
        List<String> hosts =
                experiments.stream().map(e -> e.host() == null ? "" : e.host()).distinct().toList();
        if (hosts.size() > 1) {
            throw new UsageException(
                    "the services of one run cannot be on several hosts",
                    "the cells of the matrix have the hosts " + String.join(", ", hosts),
                    "give all cells the same host");
        }
        String host = hosts.getFirst();
        return host.isEmpty() ? null : SshTarget.parse("host:", host);
    }

    /// The hosts that generate the load of an experiment, which may be none.
    ///
    /// @throws UsageException if they cannot, or if the cells have different ones
    static List<SshTarget> generators(List<Experiment> experiments) {
        if (experiments.stream().map(Experiment::generators).distinct().count() > 1) {
            throw new UsageException(
                    "the cells of one run cannot have different generators",
                    "all trials use the same agents",
                    "give all cells the same `hosts` of the load");
        }
        experiments.forEach(ServiceHosts::checkGenerators);
        return experiments.getFirst().generators().stream()
                .map(text -> SshTarget.parse("hosts:", text))
                .toList();
    }

    private static void checkGenerators(Experiment experiment) {
        if (!(experiment.load() instanceof LoadSpec.Http http) || http.hosts().isEmpty()) {
            return;
        }
        if (experiment.host() == null) {
            throw new UsageException(
                    "the load of this experiment cannot come from other hosts",
                    "its services run in a sandbox on this host, which other hosts do not reach",
                    "name the services' host by --server or `host`, or generate the load here");
        }
        if (!experiment.sandbox().client().isEmpty()
                || experiment.sandbox().resolver(false) != null) {
            throw new UsageException(
                    "the settings under 'sandbox: client' cannot be used with generators",
                    "Wallfinder changes no setting of a host, and does not compare those of"
                            + " generators",
                    "set them on those hosts yourself, and leave them out here");
        }
        Generators.check(http, Origin.ANY, http.hosts().size());
    }

    /// @throws UsageException if a service runs on another host, which this command cannot use
    static void refuse(String command, List<Experiment> experiments) {
        for (Experiment experiment : experiments) {
            if (!experiment.generators().isEmpty()) {
                throw new UsageException(
                        command + " cannot measure this experiment",
                        "its load comes from other hosts, and %s measures on one host"
                                .formatted(command),
                        "use find or run, or leave `hosts` out");
            }
            if (experiment.host() != null) {
                throw new UsageException(
                        command + " cannot measure this experiment",
                        "its services run on %s, and %s measures on one host"
                                .formatted(experiment.host(), command),
                        "use find or run, or leave `host` out");
            }
        }
    }

    /// Connects to the host. The caller closes it.
    ///
    /// @return null without a target
    static @Nullable RemoteServices connect(@Nullable SshTarget target, Progress progress) {
        return target == null
                ? null
                : RemoteServices.connect(target, Console.home(), Version.number(), progress);
    }

    /// Starts the agents. The caller closes them.
    ///
    /// @return null without a target
    static @Nullable Generators start(List<SshTarget> generators, Progress progress) {
        return generators.isEmpty()
                ? null
                : Generators.start(generators, Console.home(), Version.number(), progress);
    }
}
