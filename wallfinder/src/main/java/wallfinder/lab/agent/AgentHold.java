package wallfinder.lab.agent;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.HoldSpec;
import wallfinder.lab.trial.HoldWatch;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.linux.PortOf;
import wallfinder.linux.SockDiag;
import wallfinder.load.EngineChoice;
import wallfinder.load.EngineThreads;
import wallfinder.load.HoldPlan;
import wallfinder.load.HoldRun;
import wallfinder.load.Sources;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.sampling.LocalPortRange;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.HostMemory;

/// The agent's part of connections that are held. It holds them until the other side ends it,
/// because only that side knows when the last connection of all agents has opened.
final class AgentHold extends AgentWork {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final Duration LOOK = Duration.ofMillis(50);

    private final LoadMessage.Hold hold;

    AgentHold(LoadMessage.Hold hold, Consumer<Message> send) {
        super(send);
        this.hold = hold;
    }

    @Override
    void drive() {
        HoldSpec spec = hold.spec();
        InetSocketAddress target = HostTestbed.chosen(spec.host(), spec.port());
        HostTestbed.reach(target, spec.host() + ":" + spec.port());
        LocalPortRange range = LocalPortRange.read(PROC_SYS_NET);
        HoldPlan plan =
                HoldPlan.of(
                        spec,
                        target,
                        new Sources(hold.sources(), range.portMin(), range.portMax())
                                .ports(hold.ofHost()),
                        new EngineThreads(() -> {}, new int[0], EngineChoice.EPOLL));
        HoldRun.check(plan);
        HostMemory memoryBefore = HostMemory.read();
        try (HoldRun run = HoldRun.prepare(plan)) {
            measure(run, memoryBefore, awaitStart(null, null));
        }
    }

    private void measure(HoldRun run, @Nullable HostMemory memoryBefore, long startNanos) {
        awaitSampler(startNanos);
        try (Sampler sampler =
                sample(List.of(run.progress(), run.progress().responseTimes(), HoldRun.memory()))) {
            while (System.nanoTime() < startNanos) {
                LockSupport.parkNanos(startNanos - System.nanoTime());
            }
            long began = System.nanoTime();
            run.begin();
            HoldWatch watch =
                    new HoldWatch(hold.spec(), run, hold.memoryFloorBytes(), memoryBefore);
            boolean settled = false;
            while (!run.over() && !watch.mustEnd() && end.pause(LOOK)) {
                if (!settled && run.settled()) {
                    settled = true;
                    say(new LoadMessage.Settled());
                }
            }
            watch.caveats().forEach(caveat -> say(new LoadMessage.Doubted(caveat)));
            sampler.stop();
            LoadOutcome.Held held = run.finish(drain(), this::sockets);
            sayLast(began, new LoadMessage.HeldOutcome(held));
        }
    }

    /// The kernel's count for this host's network, with the connections of other agents there.
    private List<LoadOutcome.Sockets> sockets() {
        int first = hold.spec().port();
        try (SockDiag sockets = SockDiag.open()) {
            return List.of(
                    new LoadOutcome.Sockets(
                            End.CLIENT,
                            sockets.established(
                                    PortOf.OTHER_END, first, first + hold.spec().ports() - 1)));
        }
    }
}
