package wallfinder.lab.trial;

import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.observation.Peer;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Timeline;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;

/// A watch of a service that listens on port 8080.
///
/// @param asked runs when somebody asks for the last readings
record WatchedElsewhere(int port, Runnable asked) implements ServerSide {
    static final long[] NANOS = {0, 1_000_000_000L, 2_000_000_000L};

    @Override
    public void begin() {}

    @Override
    public void requestEnd() {
        asked.run();
    }

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
