package wallfinder.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.Limits;
import wallfinder.experiment.UsageException;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.Peer;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

class PeerJsonTest {
    private static final double NONE = Double.NaN;

    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void a_file() {
        file = folder.resolve(PeerJson.FILE);
    }

    private static Series series(Key key, double... values) {
        return new Series(key.at(End.SERVER, "/proc/test"), values);
    }

    private static Peer peer() {
        SandboxFacts facts =
                new SandboxFacts(
                        "namespaces",
                        new TreeMap<>(Map.of("net.core.somaxconn", "128")),
                        new TreeMap<>(),
                        3,
                        0,
                        false,
                        new Limits(20_000L, null, 1L << 34, 2.0, null, null, null),
                        true,
                        List.of(
                                new SandboxFacts.ServiceFacts(
                                        "web",
                                        12,
                                        List.of(80, 443),
                                        List.of("@web"),
                                        new TreeMap<>(),
                                        null,
                                        null)),
                        List.of(Caveat.read("service-ended", "it did")));
        return new Peer(
                "web, process 12",
                "there",
                "boot",
                1_795_000_000_123_456_789L,
                null,
                List.of(0, 2, 5),
                new Timeline(
                        new long[] {0, 100_000_001, 199_999_999},
                        List.of(
                                series(KernelCounter.LISTEN_OVERFLOWS, 7, 7, 7),
                                series(KernelCounter.TIME_WAIT, NONE, NONE, NONE),
                                series(ProcessFigure.RSS.of("we[b]"), 0.1, NONE, 1e17))),
                facts);
    }

    @Test
    void a_written_observation_can_be_read_again() throws Exception {
        PeerJson.write(peer(), file);
        Peer read = PeerJson.read(file);
        assertThat(read.facts()).isEqualTo(peer().facts());
        assertThat(read.toString().replaceAll("@\\w+", ""))
                .isEqualTo(peer().toString().replaceAll("@\\w+", ""));
        assertThat(read.timeline().nanos()).containsExactly(peer().timeline().nanos());
        for (int i = 0; i < 3; i++) {
            assertThat(read.timeline().series().get(i).values())
                    .containsExactly(peer().timeline().series().get(i).values());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[1]", "{\"schema\": \"wallfinder/1\"}", "not json"})
    void another_file_is_refused(String text) throws Exception {
        Files.writeString(file, text);
        assertThatThrownBy(() -> PeerJson.read(file)).isInstanceOf(UsageException.class);
    }

    @Test
    void a_file_that_was_cut_short_is_refused() throws Exception {
        PeerJson.write(peer(), file);
        String whole = Files.readString(file);
        for (int length = 1; length < whole.length(); length += 7) {
            Files.writeString(file, whole.substring(0, length));
            assertThatThrownBy(() -> PeerJson.read(file)).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void a_newer_form_is_refused() throws Exception {
        PeerJson.write(peer(), file);
        String newer = Files.readString(file).replace("observation/1", "observation/2");
        Files.writeString(file, newer);
        assertThatThrownBy(() -> PeerJson.read(file)).hasMessageContaining("observation/2");
    }
}
