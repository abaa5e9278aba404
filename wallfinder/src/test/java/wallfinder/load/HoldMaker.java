package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import wallfinder.experiment.HoldSpec;
import wallfinder.observation.LoadOutcome.Held;

/// Plans for tests. By default ten connections of one thread, each with a message of 32 bytes every
/// 20 ms.
final class HoldMaker {
    static final Duration BOUND = Duration.ofSeconds(60);

    private final InetSocketAddress target;
    private int targetPorts = 1;
    private int connections = 10;
    private int threads = 1;
    private HoldSpec.Kind kind = HoldSpec.Kind.ECHO;
    private Duration interval = Duration.ofMillis(20);
    private int bytes = 32;
    private Duration timeout = Duration.ofSeconds(10);
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration keepalive = Duration.ZERO;
    private double perSecond;
    private HoldSpec.OnError onError = HoldSpec.OnError.COUNT;
    private final List<InetAddress> sources = new ArrayList<>();
    private int portMin = 32_768;
    private int portMax = 60_999;

    HoldMaker(InetSocketAddress target) {
        this.target = target;
    }

    HoldMaker targetPorts(int count) {
        targetPorts = count;
        return this;
    }

    HoldMaker connections(int count) {
        connections = count;
        return this;
    }

    HoldMaker threads(int count) {
        threads = count;
        return this;
    }

    HoldMaker kind(HoldSpec.Kind which) {
        kind = which;
        return this;
    }

    HoldMaker interval(Duration time) {
        interval = time;
        return this;
    }

    HoldMaker bytes(int count) {
        bytes = count;
        return this;
    }

    HoldMaker timeout(Duration time) {
        timeout = time;
        return this;
    }

    HoldMaker connectTimeout(Duration time) {
        connectTimeout = time;
        return this;
    }

    HoldMaker keepalive(Duration time) {
        keepalive = time;
        return this;
    }

    HoldMaker perSecond(double rate) {
        perSecond = rate;
        return this;
    }

    HoldMaker onError(HoldSpec.OnError what) {
        onError = what;
        return this;
    }

    HoldMaker from(String address, int first, int last) throws UnknownHostException {
        sources.add(InetAddress.getByName(address));
        portMin = first;
        portMax = last;
        return this;
    }

    HoldPlan make() {
        return HoldPlan.of(
                new HoldSpec(
                        target.getAddress().getHostAddress(),
                        target.getPort(),
                        targetPorts,
                        connections,
                        threads,
                        new HoldSpec.Messages(kind, interval, Duration.ZERO, bytes, timeout),
                        new HoldSpec.Opening(perSecond, 128, connectTimeout),
                        keepalive,
                        onError,
                        Duration.ofSeconds(1)),
                target,
                new Sources(sources, portMin, portMax),
                new EngineThreads(() -> {}, new int[0], EngineChoice.EPOLL));
    }

    static void await(BooleanSupplier fact) {
        long start = System.nanoTime();
        while (!fact.getAsBoolean()) {
            assertThat(System.nanoTime() - start).isLessThan(BOUND.toNanos());
            LockSupport.parkNanos(1_000_000);
        }
    }

    HoldRun begun() {
        HoldRun run = HoldRun.prepare(make());
        run.begin();
        return run;
    }

    /// Holds until all connections are established or have failed, and a number of messages is
    /// answered.
    Held held(long answers) {
        try (HoldRun run = begun()) {
            await(() -> run.settled() && run.progress().requests() >= answers);
            return run.finish(BOUND, List::of);
        }
    }

    /// Holds until a number of connections has failed.
    Held failed(long failures) {
        try (HoldRun run = begun()) {
            await(() -> run.settled() && run.progress().errors() >= failures);
            return run.finish(BOUND, List::of);
        }
    }

    /// What became of the connections.
    static Map<String, Long> fates(Held outcome) {
        return outcome.hold().fates();
    }
}
