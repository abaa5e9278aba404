package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.RunContext;
import wallfinder.load.EngineChoice;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Peer;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Timeline;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandboxes;

class FarServerTest {
    private static final long[] NANOS = {0, 1_000_000_000L, 2_000_000_000L};

    @TempDir Path folder;

    /// A watch of a service that listens on port 8080.
    private record Watched(int port) implements ServerSide {
        @Override
        public void begin() {}

        @Override
        public Seen await(RunContext context) {
            SandboxFacts.ServiceFacts web =
                    new SandboxFacts.ServiceFacts(
                            "web", 7, List.of(8080), List.of(), new TreeMap<>(), null, null);
            SandboxFacts facts = SimulatedTrials.facts("host", 1, 1, true, List.of(web));
            Timeline timeline = new Timeline(NANOS, List.of());
            Peer peer = new Peer("pod web", "there", "boot", 0, 0L, List.of(0), timeline, facts);
            return new Seen(peer, new Clocks.Compared(0, 0), List.of(), null);
        }

        @Override
        public boolean watchesAgain() {
            return false;
        }

        @Override
        public void beginAlone() {}

        @Override
        public Timeline endAlone() {
            return new Timeline(NANOS, List.of());
        }

        @Override
        public void check() {}

        @Override
        public @Nullable Now now() {
            return null;
        }

        @Override
        public Profiling profiling(Samples samples) {
            throw new IllegalStateException("it profiles nothing");
        }
    }

    private boolean doubted(int named, int loaded) throws Exception {
        Observation own =
                new Observation(
                        new LoadOutcome.Unseen(2),
                        new Timeline(NANOS, List.of()),
                        SimulatedTrials.facts("host", 1, 1, false, List.of()));
        try (RunLock lock = Sandboxes.runBesideLeftovers(folder.resolve(named + "-" + loaded))) {
            RunContext context =
                    new RunContext(
                            folder,
                            lock,
                            folder,
                            EngineChoice.EPOLL,
                            new Interruption(),
                            line -> {});
            FarServer far = new FarServer(new Watched(named), loaded, context);
            far.begin();
            return far.join(own).caveats().stream()
                    .anyMatch(caveat -> caveat.is(Doubt.PEER_OTHER_SERVICE));
        }
    }

    /// As that of a pod behind a Service with another port.
    @Test
    void a_service_whose_port_was_named_is_the_right_one_behind_a_proxy() throws Exception {
        assertThat(doubted(8080, 80)).isFalse();
        assertThat(doubted(0, 80)).isTrue();
        assertThat(doubted(0, 8080)).isFalse();
        assertThat(doubted(9090, 8080)).as("the named port counts").isTrue();
    }
}
