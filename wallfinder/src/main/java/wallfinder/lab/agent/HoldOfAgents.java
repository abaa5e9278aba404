package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.HoldSpec;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.FarServer;
import wallfinder.lab.trial.HoldObjective;
import wallfinder.lab.trial.HoldTrial;
import wallfinder.lab.trial.Origin;
import wallfinder.live.Gauge;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// Several agents that hold connections as one. The time for which they are held begins when all
/// connections of all agents have opened or failed.
public final class HoldOfAgents {
    private final Generators generators;
    private final HoldSpec spec;
    private final Origin origin;
    private final long memoryFloorBytes;
    private final FarServer far;
    private final RunContext context;

    /// @param memoryFloorBytes all end when the host of an agent has less memory left
    /// @param server who watches the server on its own host, or null
    public HoldOfAgents(
            Generators generators,
            HoldSpec spec,
            Origin origin,
            long memoryFloorBytes,
            @Nullable ServerSide server,
            RunContext context) {
        this.generators = generators;
        this.spec = spec;
        this.origin = origin;
        this.memoryFloorBytes = memoryFloorBytes;
        this.context = context;
        far = new FarServer(server, spec.port(), context);
    }

    /// Holds the connections for the given time, or until the user asks to stop.
    ///
    /// @param factors what was set, without the number of connections
    /// @throws wallfinder.linux.EnvironmentException if a host does not allow it, or if no agent
    ///   counted anything
    public RunRecord.Trial trial(
            String name, SortedMap<String, String> factors, HoldObjective objective) {
        Team team = Team.of(generators, spec.connections());
        show("preparing the generators", Planned.unknown(System.nanoTime()));
        List<LoadMessage.Hold> jobs =
                LoadSplit.of(
                        spec, origin.sources(), generators.hosts(), team.size(), memoryFloorBytes);
        // All parts have the same kind of messages, so each has the same arrival, but for its rate.
        List<LoadMessage.Ready> readies = team.prepare(jobs, spec.arrival());
        far.begin();
        long start = team.begin();
        boolean lost = hold(team);
        far.requestEnd();
        team.finish(lost);
        long end = System.nanoTime();
        team.compareClocks();
        SeenGenerators seen = SeenGenerators.of(team, readies);
        List<Caveat> caveats = new ArrayList<>(seen.caveats(start, end));
        List<LoadOutcome.Held> loads = seen.counted(LoadOutcome.Held.class, caveats);
        LoadOutcome.Held merged =
                MergedHold.of(
                        loads,
                        seen.parts(Double.NaN, start),
                        spec.connections(),
                        spec.arrival(),
                        seen.sockets());
        FarServer.Both both = far.join(seen.client(merged, null, spec.port())).with(factors);
        return HoldTrial.judged(name, both, Caveat.joined(caveats, both.caveats()), objective);
    }

    /// @return whether an agent was lost
    private boolean hold(Team team) {
        long start = System.nanoTime();
        long settled = Long.MAX_VALUE;
        while (context.interruption().pause(Team.LOOK_INTERVAL)) {
            if (team.hasLostOne()) {
                return true;
            }
            // One that has too little memory, or must end at an error, ends before it is asked.
            if (team.agents().stream().anyMatch(RemoteGenerator::isComplete)) {
                return false;
            }
            long now = System.nanoTime();
            boolean all = team.agents().stream().allMatch(RemoteGenerator::isSettled);
            settled = all && settled == Long.MAX_VALUE ? now : settled;
            if (all && now - settled >= spec.duration().toNanos()) {
                return false;
            }
            show(
                    team,
                    all,
                    all ? Planned.exactly(settled, spec.duration()) : Planned.unknown(start));
        }
        return false;
    }

    private void show(String doing, Planned time) {
        context.progress().show(Moment.of(doing, time));
    }

    private void show(Team team, boolean settled, Planned time) {
        context.progress()
                .show(
                        new Moment(
                                "%s %,d connections of %s"
                                        .formatted(
                                                settled ? "holding" : "opening",
                                                spec.connections(),
                                                NumberText.plural(
                                                        team.size(), "generator", "generators")),
                                time,
                                List.of(
                                        new Gauge(
                                                "open",
                                                Gauge.Kind.COUNT,
                                                team.sum(RemoteGenerator::connectionsNow))),
                                List.of()));
    }
}
