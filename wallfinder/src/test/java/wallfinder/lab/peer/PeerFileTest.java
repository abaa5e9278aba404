package wallfinder.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.SampleContext;
import wallfinder.observation.Peer;
import wallfinder.observation.Timeline;
import wallfinder.record.PeerJson;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandboxes;

@Timeout(60)
class PeerFileTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir Path folder;

    private static Peer peer(String subject, long startEpochNanos) {
        return new Peer(
                subject,
                "there",
                "boot",
                startEpochNanos,
                null,
                List.of(0),
                new Timeline(new long[] {0, 5 * SECOND}, List.of()),
                SimulatedTrials.facts("host", 1, 1, true, List.of()));
    }

    /// The second load with the same file name, as in the manual.
    @Test
    void the_file_of_an_earlier_watch_is_not_that_of_this_load() throws Exception {
        long now = HostFacts.epochNanos(System.nanoTime());
        Path file = folder.resolve("seen.json");
        PeerJson.write(peer("the earlier one", now - 60 * SECOND), file);
        List<String> said = new ArrayList<>();
        try (RunLock lock = Sandboxes.runBesideLeftovers(folder.resolve("locks"))) {
            RunContext context =
                    SampleContext.of(
                            folder,
                            lock,
                            line -> {
                                said.add(line);
                                write(peer("the one of this load", now), file);
                            });
            PeerFile watch = PeerFile.of(file);
            watch.begin();
            assertThat(watch.await(context).peer().subject()).isEqualTo("the one of this load");
        }
        assertThat(said)
                .singleElement()
                .asString()
                .contains("The file that is there is of a watch that ended before the load began.");
    }

    private static void write(Peer peer, Path file) {
        try {
            PeerJson.write(peer, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
