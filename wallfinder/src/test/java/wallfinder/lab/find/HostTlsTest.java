package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.TlsSpec;
import wallfinder.lab.Nginx;
import wallfinder.lab.PlantedTest;
import wallfinder.load.Certificates;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// `load https://…` against nginx, whose log says which sessions were resumed.
@Tag("sandbox")
class HostTlsTest extends PlantedTest {
    private Nginx nginx;
    private Certificates certificates;

    @BeforeEach
    void start() throws IOException {
        certificates = Certificates.in(folder);
        nginx = Nginx.start(folder, certificates.certificate("server"), certificates.key("server"));
    }

    @AfterEach
    void end() {
        nginx.close();
    }

    private LoadOutcome.Requests load(String version, boolean keepalive, boolean resumption) {
        String ca = certificates.certificate("ca").toString();
        LoadSpec.Http http =
                Gets.of(
                        "https://127.0.0.1:" + nginx.port() + "/",
                        4,
                        keepalive,
                        Duration.ofSeconds(1),
                        null,
                        new TlsSpec(ca, null, null, false, version, resumption));
        UrlLoad.check(http);
        RunRecord.Trial trial = run.load(http);
        return (LoadOutcome.Requests) trial.observation().load();
    }

    @Test
    void counts_of_resumed_sessions_agree_with_the_servers_own() {
        assertAgree("1.3", false, true);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"1.2, true, true", "1.2, false, false"})
    void counts_agree_with_the_servers_own(String version, boolean keepalive, boolean resumption) {
        assertAgree(version, keepalive, resumption);
    }

    private void assertAgree(String version, boolean keepalive, boolean resumption) {
        LoadOutcome.Requests load = load(version, keepalive, resumption);
        LoadOutcome.Tls tls = load.tls();
        assertThat(tls).isNotNull();
        assertThat(load.errors()).isEmpty();
        assertThat(load.answered()).isPositive();
        long all = nginx.accessLines();
        // The requests without load come after the load. The client may not have waited for the
        // last answer.
        long known = load.answered() + load.unloadedNanos().getTotalCount();
        assertThat(all).isBetween(known, known + load.inFlight() + 1);
        assertThat(nginx.accessLines(". TLSv" + version) + nginx.accessLines("r TLSv" + version))
                .isEqualTo(all);
        if (!keepalive) {
            assertThat(tls.handshakes()).isEqualTo(load.connectionsOpened());
            assertThat(nginx.accessLines("r "))
                    .isBetween(
                            tls.resumed() - load.inFlight(),
                            tls.resumed() + known - load.answered());
            assertThat(tls.resumed() > tls.handshakes() / 2).isEqualTo(resumption);
        }
    }
}
