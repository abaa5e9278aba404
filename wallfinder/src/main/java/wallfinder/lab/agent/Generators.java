package wallfinder.lab.agent;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.GeneratorHosts;
import wallfinder.lab.trial.HoldObjective;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.Testbed;
import wallfinder.record.RunRecord;
import wallfinder.remote.AgentProcess;
import wallfinder.remote.GeneratorTarget;
import wallfinder.remote.KubernetesJob;
import wallfinder.remote.KubernetesTarget;
import wallfinder.remote.ProgramFolder;
import wallfinder.remote.RemoteProgram;
import wallfinder.remote.SshLink;
import wallfinder.remote.SshTarget;

/// The agents that generate a load together. They know nothing of each other: this host starts
/// them, divides the load, and adds what they counted.
public final class Generators implements GeneratorHosts, AutoCloseable {
    /// An sshd allows ten programs on a connection (`MaxSessions`). One of them holds it, and one
    /// looks for the copy.
    private static final int AGENTS_OF_LINK_MAX = 8;

    private final List<Runnable> ends = new ArrayList<>();
    private final List<RemoteGenerator> agents = new ArrayList<>();
    private final List<String> hosts = new ArrayList<>();

    private Generators() {}

    /// @throws wallfinder.experiment.UsageException if the load cannot be divided among so many
    public static void check(LoadSpec.Http http, Origin origin, List<GeneratorTarget> targets) {
        LoadSplit.check(http, origin, agents(targets));
    }

    /// @throws wallfinder.experiment.UsageException if the connections cannot be divided among so
    ///   many
    public static void check(HoldSpec spec, Origin origin, List<GeneratorTarget> targets) {
        LoadSplit.check(spec, origin, agents(targets));
    }

    private static int agents(List<GeneratorTarget> targets) {
        return targets.stream().mapToInt(GeneratorTarget::agents).sum();
    }

    /// Connects to the hosts, copies this program where it is missing, and starts the agents.
    ///
    /// @param targets the same host may be there more than once
    /// @param home where this program is installed
    /// @param version of this program
    /// @throws wallfinder.linux.EnvironmentException if a host does not allow it
    public static Generators start(
            List<GeneratorTarget> targets, Path home, String version, Progress progress) {
        Generators generators = new Generators();
        try {
            generators.startAll(targets, home, version, progress);
            generators.agents.forEach(agent -> agent.greet(version));
            return generators;
        } catch (RuntimeException | Error e) {
            generators.close();
            throw e;
        }
    }

    /// All JVMs start at the same time.
    private void startAll(
            List<GeneratorTarget> targets, Path home, String version, Progress progress) {
        Links links = new Links(home, progress);
        for (GeneratorTarget target : targets) {
            switch (target) {
                case SshTarget host -> add(links.agent(host));
                case KubernetesTarget cluster -> {
                    KubernetesJob job = KubernetesJob.generators(cluster, version, progress::say);
                    ends.add(job::close);
                    job.agents().forEach(this::add);
                }
            }
        }
    }

    private void add(AgentProcess agent) {
        agents.add(new RemoteGenerator(agent));
        hosts.add(agent.where());
    }

    /// The connections by ssh. Several agents of a host share one.
    private final class Links {
        private record Place(SshLink link, RemoteProgram remote) {}

        private final Path home;
        private final Progress progress;
        private final Map<SshTarget, Place> latest = new HashMap<>();
        private final Map<SshTarget, Integer> counts = new HashMap<>();

        Links(Path home, Progress progress) {
            this.home = home;
            this.progress = progress;
        }

        AgentProcess agent(SshTarget target) {
            int before = counts.merge(target, 1, Integer::sum) - 1;
            if (before % AGENTS_OF_LINK_MAX == 0) {
                SshLink link = SshLink.open(target, RemoteProgram.QUESTIONS);
                ends.add(link::close);
                ProgramFolder program = ProgramFolder.of(home);
                latest.put(target, new Place(link, RemoteCommand.copied(link, program, progress)));
            }
            Place place = Objects.requireNonNull(latest.get(target));
            return new AgentProcess.BySsh(place.link(), place.remote().startCached("agent"));
        }
    }

    @Override
    public Generator of(Testbed testbed, LoadSpec.Http http, RunContext context) {
        return GeneratorOfAgents.of(this, testbed, http, context);
    }

    @Override
    public RunRecord.Trial hold(
            Testbed testbed,
            LoadSpec.Hold hold,
            String name,
            HoldObjective objective,
            RunContext context) {
        return new HoldOfAgents(
                        this,
                        hold.spec(),
                        Origin.parse(hold.source(), null),
                        hold.memoryFloorBytes(),
                        testbed.serverSide(),
                        context)
                .trial(name, testbed.factors(), objective);
    }

    @Override
    public void check() {
        new Team(agents).check();
    }

    /// Where each agent runs. Agents on one host share its ports.
    List<String> hosts() {
        return hosts;
    }

    List<RemoteGenerator> agents() {
        return agents;
    }

    /// Ends all agents: the end of their input ends them.
    @Override
    public void close() {
        agents.forEach(RemoteGenerator::stop);
        ends.forEach(Runnable::run);
    }
}
