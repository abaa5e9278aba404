package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
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

    private static final String BUSY =
            """
            class Busy {
                static volatile double sum;
                public static void main(String[] arguments) {
                    System.out.println("ready");
                    while (true) {
                        spin();
                    }
                }
                static void spin() {
                    for (int i = 0; i < 1_000_000; i++) {
                        sum += Math.sqrt(i);
                    }
                }
            }
            """;

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
    void a_busy_jvm_there_has_its_methods() throws Exception {
        bed.give("Busy.java", BUSY.getBytes(StandardCharsets.US_ASCII));
        bed.serveBy("/run/far/jvm/bin/java /run/far/Busy.java");
        String pid =
                bed.farProcesses("/run/far/Busy.java")
                        .getFirst()
                        .replaceAll("(?s).*/proc/(\\d+)/cmdline", "$1");
        String there = "--server=" + SshBed.SERVER;
        assertThat(profile("--pid=" + pid, "-d2s", there, "--json=" + json))
                .contains("Busy.spin", "on far-host");
        assertThat(profiled().at("/factors/peerHost").asString()).isEqualTo("far-host");
        program.run("profile", "--pid=" + pid, there, "--server-port=80")
                .failed(2, "--server-port cannot be used with --port, --pid, --cgroup or a pod");
    }

    @Test
    @Tag("long")
    void a_url_there_is_driven_with_the_profiler_and_without() throws Exception {
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
