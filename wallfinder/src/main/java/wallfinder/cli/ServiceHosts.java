package wallfinder.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.RemoteServices;
import wallfinder.lab.session.Progress;
import wallfinder.remote.SshTarget;

/// The other host of an experiment, if its services run on one.
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

    /// @throws UsageException if a service runs on another host, which this command cannot use
    static void refuse(String command, List<Experiment> experiments) {
        for (Experiment experiment : experiments) {
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
}
