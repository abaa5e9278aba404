package wallfinder.lab.agent;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Urls;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.EngineChoice;
import wallfinder.load.EngineThreads;
import wallfinder.load.LoadPlan;
import wallfinder.load.LoadRun;
import wallfinder.load.SmallLoad;
import wallfinder.load.Sources;
import wallfinder.load.Variables;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.sampling.SampleSink;
import wallfinder.sampling.Sampler;
import wallfinder.sampling.WatchedEnd;
import wallfinder.sandbox.CpuPlan;

/// The agent's part of one load. One thread prepares it, waits for the common start, drives it, and
/// sends what it counted: every second, and at the end.
final class AgentLoad {
    /// At most so much is lost with an agent.
    private static final Duration PART_INTERVAL = Duration.ofSeconds(1);

    private static final Duration DONE_INTERVAL = Duration.ofMillis(10);
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

    /// The sampler reads everything once before the start.
    private static final Duration SAMPLER_LEAD = Duration.ofMillis(50);

    private static final Path PROC_NET = Path.of("/proc/self/net");
    private static final Path NETWORK = Path.of("/proc/self/ns/net");

    private final LoadMessage.Plan plan;
    private final Consumer<Message> send;
    private final CompletableFuture<Long> begin = new CompletableFuture<>();
    private final Interruption end = new Interruption();
    private volatile long drainNanos = Generator.DRAIN_MAX.toNanos();
    private volatile boolean over;

    private AgentLoad(LoadMessage.Plan plan, Consumer<Message> send) {
        this.plan = plan;
        this.send = send;
    }

    static AgentLoad start(LoadMessage.Plan plan, Consumer<Message> send) {
        AgentLoad load = new AgentLoad(plan, send);
        Thread.ofPlatform().daemon().name("load").start(load::drive);
        return load;
    }

    void begin(long nanos) {
        begin.complete(nanos);
    }

    void finish(long drain) {
        drainNanos = drain;
        end.request();
    }

    /// Whether the other side may have its last counts.
    boolean isOver() {
        return over;
    }

    private void say(LoadMessage message) {
        send.accept(new Message.OfLoad(message));
    }

    /// Sends a few requests one at a time, for the latency without load.
    static void alone(LoadMessage.Alone asked, Consumer<Message> send) {
        Runnable probe =
                () -> {
                    InetSocketAddress target = target(asked.plan());
                    LoadPlan load = plan(asked.plan(), target);
                    Duration longest = Duration.ofNanos(asked.longestNanos());
                    send.accept(
                            new Message.OfLoad(
                                    new LoadMessage.AnsweredAlone(
                                            SmallLoad.probe(load, Generator.PROBES, longest))));
                };
        Thread.ofPlatform().daemon().name("probe").start(() -> failing(probe, send));
    }

    private static void failing(Runnable work, Consumer<Message> send) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            send.accept(Agent.failed("the load", e));
        }
    }

    private void drive() {
        failing(this::measure, send);
    }

    private void measure() {
        HostTestbed.reach(plan.http());
        LoadPlan load = plan(plan, target(plan));
        try (LoadRun run = LoadRun.prepare(load, plan.http().requestsMax())) {
            run.ready();
            rehearse();
            say(ready(load, run));
            measure(run, begin.join());
        }
    }

    private static InetSocketAddress target(LoadMessage.Plan plan) {
        return HostTestbed.resolve(Urls.parse(plan.http().url()));
    }

    private static LoadPlan plan(LoadMessage.Plan plan, InetSocketAddress target) {
        LoadSpec.Http http = plan.http();
        URI url = Urls.parse(http.url());
        int ofHost = Math.multiplyExact(http.connections(), plan.ofHost().count());
        Sources sources = HostTestbed.sources(target, plan.sources(), ofHost);
        return Urls.plan(
                        http,
                        url,
                        target,
                        http.connections(),
                        sources.ports(plan.ofHost()),
                        new EngineThreads(() -> {}, new int[0], plan.engine()),
                        new Variables(plan.share()))
                .as(plan.share());
    }

    private LoadMessage.Ready ready(LoadPlan load, LoadRun run) {
        boolean fellBack =
                plan.engine() == EngineChoice.AUTO
                        && run.driver().equals(EngineChoice.EPOLL.word());
        return new LoadMessage.Ready(
                HostFacts.name(),
                Objects.requireNonNullElse(HostFacts.bootId(), ""),
                network(),
                CpuPlan.allowed().stream().boxed().toList(),
                tooMany(load),
                fellBack ? run.driverReason() : null);
    }

    private static String network() {
        try {
            return Files.readSymbolicLink(NETWORK).toString();
        } catch (IOException e) {
            return "";
        }
    }

    /// As on one host, the load runs all the same, with an invalid result.
    private static @Nullable String tooMany(LoadPlan load) {
        try {
            LoadRun.check(load);
            return null;
        } catch (EnvironmentException e) {
            return e.getMessage() + ": " + e.todo();
        }
    }

    /// The first sample loads a hundred classes, which takes up to a second on a busy host.
    private static void rehearse() {
        try (Sampler sampler = Sampler.start(readers(), SAMPLE_INTERVAL)) {
            sampler.stop();
        }
    }

    private void measure(LoadRun run, long startNanos) {
        run.beginAt(startNanos);
        if (plan.settle()) {
            run.awaitBegin();
            end.pause(Generator.SETTLE);
            run.mark();
        } else {
            LockSupport.parkNanos(startNanos - SAMPLER_LEAD.toNanos() - System.nanoTime());
        }
        List<Reader> readers = new ArrayList<>(readers());
        readers.add(run.progress());
        readers.add(run.progress().responseTimes());
        try (Sampler sampler = Sampler.start(readers, SAMPLE_INTERVAL, new Sending())) {
            run.awaitBegin();
            long began = run.beganNanos();
            long last = began;
            while (pause(run, began)) {
                if (System.nanoTime() - last >= PART_INTERVAL.toNanos()) {
                    last = System.nanoTime();
                    say(part(false, began, run.soFar()));
                }
            }
            sampler.stop();
            LoadOutcome.Requests outcome = run.finish(Duration.ofNanos(drainNanos));
            over = true;
            say(part(true, began, outcome));
        }
    }

    private static LoadMessage.Part part(boolean last, long began, LoadOutcome.Requests counted) {
        return new LoadMessage.Part(last, began, new LoadMessage.Outcome(counted));
    }

    /// @return false if the load is over
    private boolean pause(LoadRun run, long began) {
        LoadSpec.Http http = plan.http();
        boolean counted = http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
        long left = began + http.duration().toNanos() - System.nanoTime();
        long step = Math.min(left, (counted ? DONE_INTERVAL : PART_INTERVAL).toNanos());
        return left > 0 && !(counted && run.done()) && end.pause(Duration.ofNanos(step));
    }

    /// The generator's end. If a service runs here, too, it is watched by others.
    private static List<Reader> readers() {
        return new WatchedEnd.HostEngine(
                        new WatchedEnd.Network(End.CLIENT, PROC_NET, CpuPlan.allowed()))
                .readers();
    }

    /// Sends each sample when it is taken, on the sampler's thread.
    private final class Sending implements SampleSink {
        private final ChangedValues changed = new ChangedValues();

        @Override
        public void begin(List<Counter> all, long startNanos) {
            say(new LoadMessage.Seeing(all, startNanos));
        }

        @Override
        public void add(long nanos, double[] row) {
            send.accept(changed.sample(nanos, row, false));
        }

        @Override
        public void addLast(long nanos, double[] row) {
            send.accept(changed.sample(nanos, row, true));
        }

        @Override
        public void halve() {
            send.accept(new Message.Halved());
        }

        @Override
        public void end(List<Counter> all, Set<Counter> inUse) {
            say(new LoadMessage.Seen(all, ChangedValues.places(all, inUse)));
        }
    }
}
