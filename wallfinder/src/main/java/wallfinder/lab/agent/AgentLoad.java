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
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.ScalableHttpLoad;
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

/// The agent's part of a load. One thread prepares it, waits for the common start, drives it, and
/// sends what it counted: every second, and at the end. It drives one load.
final class AgentLoad {
    /// At most so much is lost with an agent.
    private static final Duration PART_INTERVAL = Duration.ofSeconds(1);

    private static final Duration DONE_INTERVAL = Duration.ofMillis(10);
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

    /// The sampler reads everything once before the start.
    private static final Duration SAMPLER_LEAD = Duration.ofMillis(50);

    private static final Path PROC_NET = Path.of("/proc/self/net");
    private static final Path NETWORK = Path.of("/proc/self/ns/net");

    private final Consumer<Message> send;
    private final CompletableFuture<Long> begin = new CompletableFuture<>();
    private final CompletableFuture<Void> alone = new CompletableFuture<>();
    private final Interruption end = new Interruption();
    private volatile long drainNanos = ScalableHttpLoad.DRAIN_MAX.toNanos();
    private boolean planned; // of the thread that reads

    AgentLoad(Consumer<Message> send) {
        this.send = send;
    }

    /// @throws IOException if no peer of an agent says this now
    void hear(LoadMessage message) throws IOException {
        switch (message) {
            case LoadMessage.Plan plan -> {
                if (planned) {
                    throw new IOException("an agent drives one load");
                }
                planned = true;
                Thread.ofPlatform().daemon().name("load").start(() -> drive(plan));
            }
            case LoadMessage.Begin(long nanos) -> begin.complete(nanos);
            case LoadMessage.Finish(long drain) -> {
                drainNanos = drain;
                end.request();
            }
            case LoadMessage.Alone _ -> alone.complete(null);
            case LoadMessage.Ready _, LoadMessage.Seeing _, LoadMessage.Seen _ ->
                    throw unexpected(message);
            case LoadMessage.Part _, LoadMessage.AnsweredAlone _ -> throw unexpected(message);
        }
    }

    private static IOException unexpected(LoadMessage message) {
        return new IOException("an agent gets no " + message.getClass().getSimpleName());
    }

    private void say(LoadMessage message) {
        send.accept(new Message.OfLoad(message));
    }

    private void drive(LoadMessage.Plan plan) {
        try {
            HostTestbed.reach(plan.http());
            InetSocketAddress target = HostTestbed.resolve(Urls.parse(plan.http().url()));
            Warmed warmed = warm(plan, target);
            LoadPlan load = plan(plan, target);
            try (LoadRun run = LoadRun.prepare(load, plan.http().requestsMax())) {
                run.ready();
                rehearse();
                say(ready(plan, load, run, warmed));
                drive(plan.http(), run, begin.join());
            }
            alone.join();
            say(
                    new LoadMessage.AnsweredAlone(
                            SmallLoad.probe(
                                    load,
                                    ScalableHttpLoad.PROBES,
                                    ScalableHttpLoad.PROBE_AFTER_MAX)));
        } catch (RuntimeException | Error e) {
            send.accept(Agent.failed("the load", e));
        }
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

    private record Warmed(long answers, long nanos) {}

    /// Drives the load before it counts, for the whole time: an agent does not see whether the
    /// service is warm.
    private Warmed warm(LoadMessage.Plan plan, InetSocketAddress target) {
        Duration time = plan.http().warmup();
        if (time.isZero()) {
            return new Warmed(0, 0);
        }
        long start = System.nanoTime();
        try (LoadRun run = LoadRun.start(plan(plan, target))) {
            end.pause(time);
            long answers = run.finish(Duration.ofNanos(drainNanos)).answered();
            return new Warmed(answers, System.nanoTime() - start);
        }
    }

    private static LoadMessage.Ready ready(
            LoadMessage.Plan plan, LoadPlan load, LoadRun run, Warmed warmed) {
        boolean fellBack =
                plan.engine() == EngineChoice.AUTO
                        && run.driver().equals(EngineChoice.EPOLL.word());
        return new LoadMessage.Ready(
                HostFacts.name(),
                Objects.requireNonNullElse(HostFacts.bootId(), ""),
                network(),
                CpuPlan.allowed().stream().boxed().toList(),
                tooMany(load),
                fellBack ? run.driverReason() : null,
                warmed.answers(),
                warmed.nanos());
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

    private void drive(LoadSpec.Http http, LoadRun run, long startNanos) {
        run.beginAt(startNanos);
        LockSupport.parkNanos(startNanos - SAMPLER_LEAD.toNanos() - System.nanoTime());
        List<Reader> readers = new ArrayList<>(readers());
        readers.add(run.progress());
        try (Sampler sampler = Sampler.start(readers, SAMPLE_INTERVAL, new Sending())) {
            run.awaitBegin();
            long began = run.beganNanos();
            long last = began;
            while (pause(http, run, began)) {
                if (System.nanoTime() - last >= PART_INTERVAL.toNanos()) {
                    last = System.nanoTime();
                    say(part(false, began, run.soFar()));
                }
            }
            sampler.stop();
            say(part(true, began, run.finish(Duration.ofNanos(drainNanos))));
        }
    }

    private static LoadMessage.Part part(boolean last, long began, LoadOutcome.Requests counted) {
        return new LoadMessage.Part(last, began, new LoadMessage.Outcome(counted));
    }

    /// @return false if the load is over
    private boolean pause(LoadSpec.Http http, LoadRun run, long began) {
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
