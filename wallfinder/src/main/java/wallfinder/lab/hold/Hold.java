package wallfinder.lab.hold;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.Objective;
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

/// Opens connections to a service that is there already, keeps them, and tells what became of each.
public final class Hold implements AutoCloseable {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final int PEER_PORT_MIN = 1024;
    private static final int PEER_PORT_MAX = 65_535;

    private final HoldSpec spec;
    private final HoldPlan plan;
    private final @Nullable Objective objective;
    private final RunContext context;
    private final Means means;
    private final HostConnectionEnds ends;
    private final @Nullable Link link;

    /// What the connections are made of, and what is left to others.
    ///
    /// @param synthetic whether the peers are no sockets
    /// @param memoryFloorBytes the run ends when the host has less memory left
    public record Means(boolean synthetic, long memoryFloorBytes) {}

    /// @throws EnvironmentException if this host cannot hold so many connections
    public Hold(
            HoldSpec spec,
            Means means,
            Origin origin,
            @Nullable Objective objective,
            RunContext context) {
        this.spec = spec;
        this.means = means;
        this.objective = objective;
        this.context = context;
        InetSocketAddress target = HostTestbed.resolve(spec.host(), spec.port());
        EngineThreads threads =
                new EngineThreads(() -> {}, origin.cpus().stream().toArray(), EngineChoice.EPOLL);
        link = means.synthetic() ? link(target, origin) : null;
        plan = link == null ? plan(target, origin, threads) : plan(target, origin, threads, link);
        HoldRun.check(plan);
        if (link != null) {
            HostTestbed.reach(target, target.toString());
        }
        ends = new HostConnectionEnds(target, spec.ports(), origin);
    }

    private static Link link(InetSocketAddress target, Origin origin) {
        return SyntheticLink.open(target, SyntheticLink.peers(target, origin.sources()));
    }

    private HoldPlan plan(InetSocketAddress target, Origin origin, EngineThreads threads) {
        LocalPortRange range = LocalPortRange.read(PROC_SYS_NET);
        Sources sources = new Sources(origin.sources(), range.portMin(), range.portMax());
        return HoldPlan.of(spec, target, sources, threads);
    }

    private HoldPlan plan(
            InetSocketAddress target, Origin origin, EngineThreads threads, Link peers) {
        var addresses = SyntheticLink.peers(target, origin.sources());
        Sources sources = new Sources(addresses, PEER_PORT_MIN, PEER_PORT_MAX);
        return HoldPlan.synthetic(spec, target, sources, threads, peers);
    }

    /// Refuses a target that nobody listens on, before anything is made or waited for.
    ///
    /// @throws EnvironmentException if nothing accepts a connection there
    public static void check(HoldSpec spec, String target) {
        HostTestbed.reach(HostTestbed.resolve(spec.host(), spec.port()), target);
    }

    /// Holds them for as long as was asked, or until the user wants to stop.
    public RunRecord.Trial run() {
        return new HoldTrial(plan, ends, means.memoryFloorBytes(), context)
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
