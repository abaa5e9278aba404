package wallfinder.lab.agent;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.GeneratorHosts;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.Testbed;
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

    private final List<SshTarget> targets;
    private final List<SshLink> links = new ArrayList<>();
    private final List<RemoteGenerator> agents = new ArrayList<>();

    private Generators(List<SshTarget> targets) {
        this.targets = List.copyOf(targets);
    }

    /// @throws wallfinder.experiment.UsageException if the load cannot be divided among so many
    public static void check(LoadSpec.Http http, Origin origin, int count) {
        LoadSplit.check(http, origin, count);
    }

    /// Connects to the hosts, copies this program where it is missing, and starts the agents.
    ///
    /// @param targets one for each agent, so the same host may be there more than once
    /// @param home where this program is installed
    /// @param version of this program
    /// @throws wallfinder.linux.EnvironmentException if a host does not allow it
    public static Generators start(
            List<SshTarget> targets, Path home, String version, Progress progress) {
        Generators generators = new Generators(targets);
        try {
            generators.start(ProgramFolder.of(home), progress);
            generators.agents.forEach(agent -> agent.greet(version));
            return generators;
        } catch (RuntimeException | Error e) {
            generators.close();
            throw e;
        }
    }

    /// All JVMs start at the same time.
    private void start(ProgramFolder program, Progress progress) {
        record Place(SshLink link, RemoteProgram remote) {}
        Map<SshTarget, Place> places = new HashMap<>();
        Map<SshTarget, Integer> counts = new HashMap<>();
        for (SshTarget target : targets) {
            int before = counts.merge(target, 1, Integer::sum) - 1;
            if (before % AGENTS_OF_LINK_MAX == 0) {
                SshLink link = SshLink.open(target, RemoteProgram.QUESTIONS);
                links.add(link);
                places.put(target, new Place(link, RemoteCommand.copied(link, program, progress)));
            }
            Place place = Objects.requireNonNull(places.get(target));
            agents.add(RemoteGenerator.of(place.link(), place.remote().startCached("agent")));
        }
    }

    @Override
    public Generator of(Testbed testbed, LoadSpec.Http http, RunContext context) {
        return GeneratorOfAgents.of(this, testbed, http, context);
    }

    List<SshTarget> targets() {
        return targets;
    }

    List<RemoteGenerator> agents() {
        return agents;
    }

    /// Ends all agents: the end of their input ends them.
    @Override
    public void close() {
        agents.forEach(RemoteGenerator::stop);
        links.forEach(SshLink::close);
    }
}
