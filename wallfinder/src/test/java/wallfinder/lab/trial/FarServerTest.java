package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.SampleContext;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Timeline;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandboxes;

class FarServerTest {
    @TempDir Path folder;

    private boolean doubted(int named, int loaded) throws Exception {
        Observation own =
                new Observation(
                        new LoadOutcome.Unseen(2),
                        new Timeline(WatchedElsewhere.NANOS, List.of()),
                        SimulatedTrials.facts("host", 1, 1, false, List.of()));
        try (RunLock lock = Sandboxes.runBesideLeftovers(folder.resolve(named + "-" + loaded))) {
            RunContext context = SampleContext.of(folder, lock, line -> {});
            FarServer far = new FarServer(new WatchedElsewhere(named, () -> {}), loaded, context);
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
