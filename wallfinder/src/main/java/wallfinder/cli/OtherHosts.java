package wallfinder.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.RemoteServices;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.remote.GeneratorTarget;
import wallfinder.remote.SshTarget;

/// The other hosts of an experiment.
///
/// @param services where its services run; null for this host
/// @param generators those that generate its load; empty for this host
record OtherHosts(@Nullable SshTarget services, List<GeneratorTarget> generators) {
    /// @param experiments of one run
    /// @throws UsageException if a host cannot be one, or if the experiments have different ones
    static OtherHosts of(List<Experiment> experiments) {
        return new OtherHosts(target(experiments), generators(experiments));
    }

    static OtherHosts of(Experiment experiment) {
        return of(List.of(experiment));
    }

    private static @Nullable SshTarget target(List<Experiment> experiments) {
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

    private static List<GeneratorTarget> generators(List<Experiment> experiments) {
        if (experiments.stream().map(Experiment::generators).distinct().count() > 1) {
            throw new UsageException(
                    "the cells of one run cannot have different generators",
                    "all trials use the same agents",
                    "give all cells the same `hosts` of the load");
        }
        experiments.forEach(OtherHosts::checkGenerators);
        return targets(experiments.getFirst().generators());
    }

    private static void checkGenerators(Experiment experiment) {
        if (experiment.generators().isEmpty()) {
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
        List<GeneratorTarget> generators = targets(experiment.generators());
        switch (experiment.load()) {
            case LoadSpec.Http http -> Generators.check(http, Origin.ANY, generators);
            case LoadSpec.Hold hold ->
                    Generators.check(hold.spec(), Origin.parse(hold.source(), null), generators);
            case LoadSpec.Command _ -> throw new IllegalStateException("a command has no hosts");
        }
    }

    private static List<GeneratorTarget> targets(List<String> hosts) {
        return hosts.stream().map(text -> GeneratorTarget.parse("hosts:", text)).toList();
    }

    /// @throws UsageException if a service runs on another host, which this command cannot use
    static void refuse(String command, List<Experiment> experiments) {
        for (Experiment experiment : experiments) {
            if (!experiment.generators().isEmpty()) {
                throw new UsageException(
                        command + " cannot measure this experiment",
                        "its load comes from other hosts, and %s measures on one host"
                                .formatted(command),
                        "use find, run, fit or capacity, or leave `hosts` out");
            }
            if (experiment.host() != null) {
                throw new UsageException(
                        command + " cannot measure this experiment",
                        "its services run on %s, and %s measures on one host"
                                .formatted(experiment.host(), command),
                        "use find, run, fit or capacity, or leave `host` out");
            }
        }
    }

    /// Connects to the hosts, and starts the agents.
    ///
    /// @throws wallfinder.linux.EnvironmentException if a host does not allow it
    Connected connect(Progress progress) {
        RemoteServices far =
                services == null
                        ? null
                        : RemoteServices.connect(
                                services, Console.home(), Version.number(), progress);
        try {
            return new Connected(far, start(generators, progress));
        } catch (RuntimeException | Error e) {
            if (far != null) {
                far.close();
            }
            throw e;
        }
    }

    /// Starts the agents. The caller closes them.
    ///
    /// @return null without a target
    static @Nullable Generators start(List<GeneratorTarget> generators, Progress progress) {
        return generators.isEmpty()
                ? null
                : Generators.start(generators, Console.home(), Version.number(), progress);
    }

    /// Agents on the other hosts.
    record Connected(@Nullable RemoteServices services, @Nullable Generators generators)
            implements AutoCloseable {
        TrialHosts with(RunContext context) {
            return new TrialHosts(context, services, generators);
        }

        @Override
        public void close() {
            if (generators != null) {
                generators.close();
            }
            if (services != null) {
                services.close();
            }
        }
    }
}
