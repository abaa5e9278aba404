package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The profile of a JVM on another host, which is a namespace with a real sshd. Half a millisecond
/// of CPU time is an answer's known work.
@Tag("sandbox")
@Tag("slow")
@Timeout(300)
class SshProfileTest extends TwoHostsTest {
    private static final String KNOWN_METHOD = "getThreadTotalCpuTime";

    /// The command of the service there.
    private String service(int port) throws Exception {
        Path source = Path.of("src/test/resources/wallfinder/lab/KnownTimes.java");
        bed.give("KnownTimes.java", Files.readAllBytes(source));
        return "/run/far/jvm/bin/java /run/far/KnownTimes.java %d 4 cpu=0.5".formatted(port);
    }

    private String profile(String... arguments) throws Exception {
        String[] words =
                Stream.concat(Stream.of("profile"), Stream.of(arguments)).toArray(String[]::new);
        Program.Ended ended = bed.alone(program).start(words).end().measured();
        assertThat(ended.out()).doesNotContain("no-stacks");
        bed.awaitNothingThere();
        return ended.out();
    }

    /// The trial with the profile.
    private JsonNode profiled() throws Exception {
        assertThat(Program.schemaErrors(json)).isEmpty();
        JsonNode run = JsonMapper.shared().readTree(Files.readAllBytes(json));
        for (JsonNode trial : run.at("/trials")) {
            if (trial.at("/profile").isObject()) {
                return trial;
            }
        }
        throw new AssertionError("no trial has a profile");
    }

    @Test
    void a_running_service_there_is_profiled_with_a_load_and_without() throws Exception {
        bed.serveBy(service(SshBed.PORT));
        assertThat(
                        profile(
                                SshBed.url(),
                                "-c4",
                                "-d1s",
                                "--warmup=2s",
                                "--server=" + SshBed.SERVER,
                                "--json=" + json))
                .contains("An answer takes ", KNOWN_METHOD, "With the profiler, the service gave ");
        assertThat(profiled().at("/factors/peerHost").asString()).isEqualTo("far-host");
        String port = "--port=" + SshBed.PORT;
        assertThat(profile(port, "-d1s", "--server=" + SshBed.SERVER)).contains(" on far-host");
        program.run("profile", port, "--server=" + SshBed.SERVER, "--server-port=80")
                .failed(2, "--server-port cannot be used with --port, --pid or --cgroup");
    }

    @Test
    @Tag("long")
    void the_services_of_an_experiment_are_profiled_there() throws Exception {
        bed.allowServices();
        Path file =
                Files.writeString(
                        program.file("burning.yaml"),
                        """
                        services:
                          web: { host: %s, command: "%s", ready: { log: ready } }
                        load: { url: "http://{server}:9095/", connections: 4, duration: 1s, warmup: 2s }
                        """
                                .formatted(SshBed.SERVER, service(9095)));
        assertThat(profile(file.toString(), "--json=" + json))
                .contains("An answer takes ", KNOWN_METHOD);
        JsonNode trial = profiled();
        assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
        assertThat(trial.at("/profile/cpuMicrosPerAnswer").asDouble()).isBetween(400.0, 2_000.0);
        assertThat(profile(file.toString(), "--generator=" + SshBed.SERVER, "--json=" + json))
                .contains("An answer takes ", KNOWN_METHOD);
        assertThat(profiled().at("/profile/cpuMicrosPerAnswer").asDouble())
                .isBetween(400.0, 2_000.0);
    }
}
