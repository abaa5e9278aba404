package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.HandshakeCost;
import wallfinder.record.RunRecord;

/// Services that make a TLS handshake for each answer, and services whose CPU is full of other
/// work.
@Tag("sandbox")
class PlantedTlsTest extends PlantedTest {
    private static final String WALL = "tls-handshakes";

    private static final String ONE_ANSWER =
            "{ url: \"https://{server}:%d/\", tls: { insecure: true, resumption: false },"
                    + " keepalive: false, connections: 16, warmup: 0s, duration: 2s }";
    private static final String KEPT =
            "{ url: \"https://{server}:%d/\", tls: { insecure: true }, connections: 16,"
                    + " warmup: 0s, duration: 2s }";

    private static String yaml(String command, int port, String load) {
        return """
        services:
          planted:
            command: >-
              %s
            ready: { log: ready }
        load: %s
        """
                .formatted(command, load.formatted(port));
    }

    private String node(SignedKey key, int cpuMillis, String load) throws Exception {
        key.write(folder);
        return yaml(
                "node $server.js --port 9090 --tls %s --cpu %d".formatted(folder, cpuMillis),
                9090,
                load);
    }

    /// nginx closes each connection after one answer.
    private String nginx(SignedKey key, String tickets) throws Exception {
        key.write(folder);
        String command = Nginx.service(folder, 8443);
        Nginx.edit(
                folder,
                "backlog=4096;",
                """
                backlog=4096 ssl;
                ssl_certificate tls.crt;
                ssl_certificate_key tls.key;
                ssl_session_tickets %s;
                keepalive_timeout 0;
                """
                        .formatted(tickets));
        return """
        services:
          front:
            command: %s
            ready: tcp://{server}:8443
        load: %s
        """
                .formatted(command, KEPT.formatted(8443));
    }

    private static HandshakeCost cost(RunRecord.Trial trial) {
        HandshakeCost cost = trial.observation().unloaded().handshake();
        assertThat(cost).as(PlantedRun.describe(trial)).isNotNull();
        return cost;
    }

    private static void assertFound(RunRecord.Trial trial) {
        PlantedRun.assertNamed(
                trial,
                WALL,
                End.SERVER,
                "tls.fullHandshakes",
                "tls.handshakeCpu",
                "tls.handshakesAlone",
                "process[].cpu");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    @Tag("long")
    void nginx_that_closes_each_connection_is_named() throws Exception {
        assertFound(run.planted(WALL, nginx(SignedKey.RSA_4096, "off"), 16));
    }

    @Test
    @Tag("long")
    void a_node_server_whose_clients_close_each_connection_is_named() throws Exception {
        assertFound(run.planted(WALL, node(SignedKey.RSA_4096, 0, ONE_ANSWER), 16));
    }

    /// In the first seconds of a JVM, its compilers take a large part of the CPU.
    @Test
    @Tag("long")
    void a_warm_java_server_whose_clients_close_each_connection_is_named() throws Exception {
        SignedKey.RSA_4096.write(folder);
        Path classes = PlantedRun.compiled("TlsServer.java", folder.resolve("classes"));
        String command = "{jvm}/bin/java -cp %s TlsServer 8444 %s".formatted(classes, folder);
        String load = ONE_ANSWER.replace("warmup: 0s", "warmup: 8s");
        assertFound(run.planted(WALL, yaml(command, 8444, load), 16));
    }

    @Test
    @Tag("long")
    void a_server_that_computes_longer_for_the_answer_is_at_the_cpu() throws Exception {
        RunRecord.Trial trial = run.planted(node(SignedKey.RSA_4096, 16, ONE_ANSWER), 16);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNamed(trial, "cpu", End.SERVER);
        assertThat(cost(trial).cpuSecondsEach()).isBetween(0.001, 0.016);
    }

    @Test
    @Tag("long")
    void a_server_with_kept_connections_is_at_the_cpu() throws Exception {
        RunRecord.Trial trial = run.planted(node(SignedKey.RSA_4096, 3, KEPT), 16);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNamed(trial, "cpu", End.SERVER);
        assertThat(trial.observation().unloaded().handshake()).isNull();
    }

    /// With resumed sessions the generator may be the limit, and the result invalid. The wall is
    /// ruled out all the same.
    @Test
    @Tag("long")
    void nginx_whose_clients_resume_their_sessions_is_not_named() throws Exception {
        String yaml = nginx(SignedKey.RSA_4096, "on");
        RunRecord.Trial trial = run.single(run.experiment(yaml), 16, "trial");
        PlantedRun.assertNotNamed(trial, WALL);
    }

    /// A handshake with this key costs the generator more than the service, so the generator may be
    /// the limit.
    @Test
    @Tag("long")
    void nginx_with_a_cheap_key_is_never_at_the_bare_cpu() throws Exception {
        RunRecord.Trial trial = run.control(nginx(SignedKey.ECDSA_P256, "off"), 16);
        if (trial.invalid()) {
            assertThat(trial.diagnosis().wallId()).contains("load-generator");
        } else {
            PlantedRun.assertNotNamed(trial, "cpu");
        }
    }

    @Test
    @Tag("long")
    void a_cheaper_key_moves_the_wall() throws Exception {
        Path cheap = Files.createDirectory(folder.resolve("cheap"));
        SignedKey.ECDSA_P256.write(cheap);
        String yaml =
                node(SignedKey.RSA_4096, 1, ONE_ANSWER)
                        .replace("--tls " + folder, "--tls {identity}")
                        .replace(
                                "    ready:",
                                """
                                    knobs:
                                      identity: { value: %s, moves: tls-handshakes, to: [%s] }
                                    ready:\
                                """
                                        .formatted(folder, cheap));
        RunRecord.Rung rung = run.firstRung(yaml, WALL, End.SERVER);
        PlantedRun.assertChanged(
                rung,
                new Setting.OfKnob("planted", "identity"),
                folder.toString(),
                cheap.toString());
        assertThat(rung.remedy().kept()).isTrue();
    }
}
