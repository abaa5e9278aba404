package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.LoadOutcome.Requests;

/// A load on a hostile server, and the counts of both.
///
/// @param early how many exchanges timed out before the server ended them, as happens on a busy
///   host
record EngineFuzz(Requests outcome, Hostility server, long accepted, long early) {
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final Duration RUN_MAX = Duration.ofMinutes(5);
    private static final long DESCRIPTORS_WAIT_NANOS_MAX = 10_000_000_000L;
    private static final int RATE_PER_SECOND = 2000;

    /// Most batches wait for a time-out.
    private static final int LOCKSTEP_PART = 10;

    /// Drives exchanges with a random plan and checks that the counts agree. The first call in a
    /// process may report descriptors that the JDK opened for itself.
    ///
    /// @param most how many exchanges at most
    /// @throws AssertionError if they do not agree
    static EngineFuzz of(RandomGenerator random, EngineChoice engine, long most) {
        boolean keepalive = random.nextInt(4) > 0;
        int arrival = random.nextInt(6);
        long exchanges = arrival == 1 ? Math.max(1, most / LOCKSTEP_PART) : most;
        boolean head = random.nextInt(4) == 0;
        boolean unasked = arrival != 0 || !keepalive;
        Hostility hostility = new Hostility(random.nextLong(), head, unasked);
        long descriptors = descriptors();
        EngineFuzz fuzz;
        try (ScriptedServer server = new ScriptedServer(hostility)) {
            PlanMaker plan = new PlanMaker(server.address());
            plan.engine(engine).timeout(TIMEOUT).keepalive(keepalive);
            plan.connections(1 + random.nextInt(64)).threads(1 + random.nextInt(2));
            switch (arrival) {
                case 0 -> plan.arrival(new Arrival.Rate(RATE_PER_SECOND));
                case 1 -> plan.lockstep();
                default -> {}
            }
            if (head) {
                plan.method("HEAD");
            } else if (random.nextInt(4) == 0) {
                plan.post(new byte[random.nextInt(1 << 1 + random.nextInt(17))]);
            }
            fuzz = of(run(plan.make(), exchanges), hostility, server);
        }
        fuzz.check(exchanges);
        awaitDescriptors(descriptors);
        return fuzz;
    }

    /// The JDK opens descriptors for the threads of the server, once.
    static void warmUp() {
        for (EngineChoice engine : List.of(EngineChoice.IO_URING, EngineChoice.EPOLL)) {
            try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient)) {
                PlanMaker plan = new PlanMaker(server.address()).engine(engine).connections(8);
                run(plan.timeout(Duration.ofMillis(100)).make(), 8);
            }
        }
    }

    private static Requests run(LoadPlan plan, long exchanges) {
        try (LoadRun run = LoadRun.start(plan, exchanges)) {
            if (!run.awaitDone(RUN_MAX)) {
                throw new AssertionError("it does not end: " + run.finish(Duration.ZERO));
            }
            return run.finish(Duration.ZERO);
        }
    }

    private static EngineFuzz of(Requests outcome, Hostility server, ScriptedServer sockets) {
        long timeouts = count(outcome.errors(), "timeout", "connect-timeout", "first-byte-timeout");
        return new EngineFuzz(
                outcome, server, sockets.connections.get(), timeouts - server.endless.sum());
    }

    /// Answers and errors by kind, and early time-outs.
    Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>(outcome.errors());
        counts.put("answered", outcome.answered());
        counts.put("given up early", early);
        return counts;
    }

    private static long count(SortedMap<String, Long> errors, String... kinds) {
        long sum = 0;
        for (String kind : kinds) {
            sum += errors.getOrDefault(kind, 0L);
        }
        return sum;
    }

    private void check(long exchanges) {
        SortedMap<String, Long> errors = outcome.errors();
        expect(outcome.sent() == exchanges && outcome.inFlight() == 0, "all are sent and ended");
        expect(
                outcome.answered() + outcome.networkErrors() == exchanges,
                "each is answered or failed");
        expect(early >= 0, "what never ends is a time-out");
        expect(agrees(server.whole, outcome.answered()), "whole answers are answers");
        expect(agrees(server.malformed, count(errors, "malformed")), "malformed");
        expect(
                agrees(server.cut, count(errors, "closed", "reset", "connect-reset")),
                "what is cut is closed or reset");
        long bad = outcome.answers().badNanos().getTotalCount();
        expect(outcome.responseNanos().getTotalCount() == outcome.good(), "good answers");
        expect(bad == outcome.bad(), "bad answers");
        long unseen = accepted - outcome.connectionsOpened();
        expect(
                unseen >= -early && unseen <= count(errors, "connect-reset") + early,
                "connections are the server's");
    }

    /// The counts agree except for exchanges that timed out early.
    private boolean agrees(LongAdder expected, long counted) {
        long fewer = expected.sum() - counted;
        return fewer >= 0 && fewer <= early;
    }

    private void expect(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not so: " + what + "; " + this);
        }
    }

    static long descriptors() {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitDescriptors(long before) {
        long end = System.nanoTime() + DESCRIPTORS_WAIT_NANOS_MAX;
        while (descriptors() > before) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(descriptors() + " descriptors, before it " + before);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public String toString() {
        return "%s, %d connections, keep-alive %s, lockstep %s, open loop %s: sent %d, answered %d, in flight %d, %s, opened %d; the server: %d whole, %d malformed, %d cut, %d endless, %d repeated, accepted %d"
                .formatted(
                        outcome.engine().driver(),
                        outcome.connections(),
                        outcome.keepalive(),
                        outcome.loop() instanceof Loop.Lockstep,
                        outcome.loop() instanceof Loop.Open,
                        outcome.sent(),
                        outcome.answered(),
                        outcome.inFlight(),
                        outcome.errors(),
                        outcome.connectionsOpened(),
                        server.whole.sum(),
                        server.malformed.sum(),
                        server.cut.sum(),
                        server.endless.sum(),
                        server.repeated.sum(),
                        accepted);
    }
}
