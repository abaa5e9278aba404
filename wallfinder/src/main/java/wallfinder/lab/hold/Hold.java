package wallfinder.lab.hold;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.HoldObjective;
import wallfinder.lab.trial.HoldTrial;
import wallfinder.lab.trial.HostConnectionEnds;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Origin;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.EngineChoice;
import wallfinder.load.EngineThreads;
import wallfinder.load.HoldPlan;
import wallfinder.load.HoldRun;
import wallfinder.load.Sources;
import wallfinder.record.RunRecord;
import wallfinder.sampling.LocalPortRange;
import wallfinder.synthetic.Link;

/// Opens connections to a running service, keeps them open, and reports what became of each.
public final class Hold implements AutoCloseable {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final int PEER_PORT_MIN = 1024;
    private static final int PEER_PORT_MAX = 65_535;

    private final HoldPlan plan;
    private final @Nullable Objective objective;
    private final RunContext context;
    private final Means means;
    private final HostConnectionEnds ends;
    private final @Nullable Link link;

    /// How connections are made, and how much memory stays free.
    ///
    /// @param synthetic whether the peers are synthetic
    /// @param memoryFloorBytes the run ends when the host has less memory left
    public record Means(boolean synthetic, long memoryFloorBytes) {}

    /// @throws EnvironmentException if this host cannot hold this many connections
    public Hold(
            HoldSpec spec,
            Means means,
            Origin origin,
            @Nullable Objective objective,
            RunContext context) {
        this.means = means;
        this.objective = objective;
        this.context = context;
        InetSocketAddress target = HostTestbed.chosen(spec.host(), spec.port());
        EngineThreads threads =
                new EngineThreads(() -> {}, origin.cpus().stream().toArray(), EngineChoice.EPOLL);
        if (means.synthetic()) {
            List<InetAddress> peers = SyntheticLink.peers(target, origin.sources());
            Sources sources = new Sources(peers, PEER_PORT_MIN, PEER_PORT_MAX);
            link = SyntheticLink.open(target, peers);
            plan = HoldPlan.synthetic(spec, target, sources, threads, link);
        } else {
            LocalPortRange range = LocalPortRange.read(PROC_SYS_NET);
            Sources sources = new Sources(origin.sources(), range.portMin(), range.portMax());
            link = null;
            plan = HoldPlan.of(spec, target, sources, threads);
        }
        HoldRun.check(plan);
        if (link != null) {
            HostTestbed.reach(target, target.toString());
        }
        ends = new HostConnectionEnds(target, spec.ports(), origin, context);
    }

    /// Connects once, so that a wrong target fails before the run begins.
    ///
    /// @throws EnvironmentException if nothing accepts a connection there
    public static void check(HoldSpec spec, String target) {
        HostTestbed.reach(HostTestbed.chosen(spec.host(), spec.port()), target);
    }

    /// Holds the connections for the given time, or until the user asks to stop.
    ///
    /// @param server who watches the server on its own host, or null
    public RunRecord.Trial run(@Nullable ServerSide server) {
        return new HoldTrial(plan, ends, means.memoryFloorBytes(), server, context)
                .trial("hold", new TreeMap<>(), new HoldObjective(true, objective));
    }

    @Override
    public void close() {
        ends.close();
        if (link != null) {
            link.close();
        }
    }
}
