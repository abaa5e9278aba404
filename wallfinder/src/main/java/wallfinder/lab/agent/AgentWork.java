package wallfinder.lab.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.trial.Generator;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;
import wallfinder.sampling.SampleSink;
import wallfinder.sampling.Sampler;
import wallfinder.sampling.WatchedEnd;
import wallfinder.sandbox.CpuPlan;

/// The agent's part of one load. One thread prepares it, waits for the common start, drives it, and
/// sends what it counted.
abstract class AgentWork {
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

    /// The sampler reads everything once before the start.
    private static final Duration SAMPLER_LEAD = Duration.ofMillis(50);

    private static final Path PROC_NET = Path.of("/proc/self/net");
    private static final Path NETWORK = Path.of("/proc/self/ns/net");

    private final Consumer<Message> send;
    private final CompletableFuture<Long> begin = new CompletableFuture<>();

    /// Requested when the load has to end.
    final Interruption end = new Interruption();

    private volatile long drainNanos = Generator.DRAIN_MAX.toNanos();
    private volatile boolean over;
    private @Nullable Thread thread; // of the thread that starts it

    AgentWork(Consumer<Message> send) {
        this.send = send;
    }

    final void start() {
        thread = Thread.ofPlatform().daemon().name("load").start(this::run);
    }

    private void run() {
        try {
            drive();
        } catch (CancellationException e) {
            over = true; // the other side does not wait for it
        } catch (RuntimeException | Error e) {
            over = true;
            send.accept(Agent.failed("the load", e));
        }
    }

    /// Ends a load that was prepared and will not begin: that of another agent failed.
    ///
    /// @return false if it has begun
    final boolean abandon() {
        boolean abandoned = begin.cancel(false);
        try {
            if (abandoned && thread != null) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return abandoned;
    }

    /// Does all of it.
    abstract void drive();

    final void begin(long nanos) {
        begin.complete(nanos);
    }

    final void finish(long drain) {
        drainNanos = drain;
        end.request();
    }

    /// Whether the other side may have its last counts, or knows that it gets none.
    final boolean isOver() {
        return over;
    }

    final void say(LoadMessage message) {
        send.accept(new Message.OfLoad(message));
    }

    /// Reports that all is prepared, and waits for the start.
    ///
    /// @return the start, which is still to come
    final long awaitStart(@Nullable String tooMany, @Nullable String epoll) {
        rehearse();
        say(
                new LoadMessage.Ready(
                        HostFacts.name(),
                        Objects.requireNonNullElse(HostFacts.bootId(), ""),
                        network(),
                        CpuPlan.allowed().stream().boxed().toList(),
                        tooMany,
                        epoll));
        return begin.join();
    }

    private static String network() {
        try {
            return Files.readSymbolicLink(NETWORK).toString();
        } catch (IOException e) {
            return "";
        }
    }

    /// The first sample loads a hundred classes, which takes up to a second on a busy host.
    private static void rehearse() {
        try (Sampler sampler = Sampler.start(readers(), SAMPLE_INTERVAL)) {
            sampler.stop();
        }
    }

    /// Waits until the sampler has to start for a load that starts then.
    static void awaitSampler(long startNanos) {
        LockSupport.parkNanos(startNanos - SAMPLER_LEAD.toNanos() - System.nanoTime());
    }

    /// Sends samples of this end from now on.
    final Sampler sample(List<Reader> ofLoad) {
        return Sampler.start(
                Stream.concat(readers().stream(), ofLoad.stream()).toList(),
                SAMPLE_INTERVAL,
                new Sending());
    }

    /// The time for the last answers.
    final Duration drain() {
        return Duration.ofNanos(drainNanos);
    }

    final void sayLast(long began, LoadMessage.Counted counted) {
        over = true;
        say(new LoadMessage.Part(true, began, counted));
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
