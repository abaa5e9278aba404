package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.Nginx;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.lab.trial.Origin;
import wallfinder.linux.Affinity;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.OwnCpus;

/// `load URL` and `find URL` against nginx on the host's loopback.
@Tag("sandbox")
class HostLoadTest extends PlantedTest {
    private Nginx nginx;

    @BeforeEach
    void start() throws IOException {
        nginx = Nginx.start(folder);
    }

    @AfterEach
    void end() {
        nginx.close();
    }

    /// Long enough to count answers, and to see who runs where.
    private static LoadSpec.Http brief(String url, int connections, boolean keepalive) {
        return Gets.of(url, connections, keepalive, Duration.ofMillis(300));
    }

    @ParameterizedTest(name = "keep-alive {0}")
    @ValueSource(booleans = {true, false})
    void the_client_counts_as_many_answers_as_the_server(boolean keepalive) {
        RunRecord.Trial trial = run.load(brief(nginx.url(), 16, keepalive));
        LoadOutcome.Requests load = (LoadOutcome.Requests) trial.observation().load();
        nginx.close();
        assertThat(load.answered()).as(PlantedRun.describe(trial)).isPositive();
        assertThat(load.sent()).isEqualTo(load.answered() + load.networkErrors() + load.inFlight());
        assertThat(load.networkErrors()).as(PlantedRun.describe(trial)).isZero();
        // The requests without load come after the load. The client may not have waited for the
        // last answer.
        long alone = load.unloadedNanos().getTotalCount();
        assertThat(nginx.accessLines())
                .as(PlantedRun.describe(trial))
                .isBetween(load.answered() + alone, load.answered() + alone + load.inFlight() + 1);
    }

    /// The generator on one CPU takes nothing from the server on another.
    @Test
    void a_server_with_its_own_cpu_shares_none() throws Exception {
        BitSet all = OwnCpus.allowed();
        assumeTrue(all.cardinality() > 1, "there is one CPU only");
        int first = all.nextSetBit(0);
        try (Nginx pinned = pinned(all.nextSetBit(first + 1))) {
            LoadSpec.Http http = brief(pinned.url(), 4, true);
            Origin origin = Origin.parse(null, Integer.toString(first));
            SandboxFacts facts =
                    new UrlLoad(http, origin, null, run.context())
                            .load(null, null)
                            .observation()
                            .facts();
            assertThat(facts.serverCpus()).isEqualTo(1);
            assertThat(facts.clientCpus()).isEqualTo(1);
            assertThat(facts.sharedCpus()).isFalse();
        }
        Origin everywhere = Origin.parse(null, null);
        assertThat(
                        new UrlLoad(brief(nginx.url(), 4, true), everywhere, null, run.context())
                                .load(null, null)
                                .observation()
                                .facts()
                                .sharedCpus())
                .isTrue();
    }

    /// A process inherits the CPUs of the thread that starts it.
    private Nginx pinned(int cpu) throws IOException {
        BitSet before = OwnCpus.allowed();
        BitSet one = new BitSet();
        one.set(cpu);
        Affinity.pin(one);
        try {
            return Nginx.start(Files.createDirectory(folder.resolve("pinned")));
        } finally {
            Affinity.pin(before);
        }
    }

    @Test
    void find_names_a_wall_gives_advice_and_changes_nothing() throws Exception {
        Map<String, String> before = networkSettings();
        LoadSpec.Http http = Gets.of(nginx.url(), 64, true, Duration.ofSeconds(1));
        Find.Result result =
                new UrlLoad(http, Origin.parse(null, null), null, run.context()).find(null, null);
        assertThat(networkSettings()).isEqualTo(before);
        RunRecord.Trial last = result.last();
        assertThat(last).isNotNull();
        // Of the worker and the generator thread, the more expensive one is the wall, unless it is
        // the host.
        assertThat(last.diagnosis().verdict())
                .as(PlantedRun.describe(last))
                .isIn(Verdict.NAMED, Verdict.INVALID);
        assertThat(result.ladder()).hasSize(1);
        assertThat(result.ladder().getFirst().remedy()).isNull();
        assertThat(result.ladder().getFirst().advice()).isNotEmpty();
        assertThat(result.ended()).isNotBlank();
        assertThat(result.anyVerified()).isFalse();
    }

    /// The server never accepts, and a client repeats a dropped SYN only after a second. So all
    /// drops belong to the opening of the connections.
    @Test
    void the_measurement_includes_the_opening_of_the_connections() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 4, InetAddress.getLoopbackAddress())) {
            int port = silent.getLocalPort();
            LoadSpec.Http http =
                    Gets.of("http://127.0.0.1:" + port + "/", 32, true, Duration.ofMillis(600));
            RunRecord.Trial trial = run.load(http);
            assertThat(PlantedRun.growth(trial, ListenFigure.DROPS.of(port)))
                    .as(PlantedRun.describe(trial))
                    .isPositive();
        }
    }

    /// All settings of the host's network.
    private static Map<String, String> networkSettings() throws IOException {
        Map<String, String> settings = new TreeMap<>();
        try (Stream<Path> files = Files.walk(Path.of("/proc/sys/net/ipv4"), 1)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                settings.put(file.toString(), read(file));
            }
        }
        settings.put("somaxconn", read(Path.of("/proc/sys/net/core/somaxconn")));
        return settings;
    }

    private static String read(Path file) {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readAllBytes());
        } catch (IOException e) {
            return "not readable"; // some files, such as flush, can only be written
        }
    }
}
