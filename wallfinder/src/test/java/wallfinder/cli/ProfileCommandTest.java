package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `profile` as a user starts it.
@Tag("slow")
@Timeout(180)
class ProfileCommandTest extends ProgramTest {
    @Test
    void a_busy_jvm_has_its_methods_and_keeps_its_output_to_itself() throws Exception {
        Process busy =
                new ProcessBuilder(
                                System.getProperty("java.home") + "/bin/java",
                                Files.writeString(
                                                program.file("Busy.java"),
                                                """
                                                class Busy {
                                                    static volatile double sum;
                                                    public static void main(String[] arguments) {
                                                        System.out.println("started");
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
                                                """)
                                        .toString())
                        .start();
        try {
            assertThat(busy.inputReader().readLine()).isEqualTo("started");
            String pid = Long.toString(busy.pid());
            Program.Ended ended =
                    program.run("profile", "--pid", pid, "-d", "4s", "--json", json.toString());
            assertThat(ended.done(0).out())
                    .contains("It used ", "Busy.spin", "application", "Files: ")
                    .doesNotContain("Wall: ", "Doubts\n  no-stacks");
            assertThat(Program.schemaErrors(json)).isEmpty();
            assertThat(Files.readString(json)).contains("\"methods\" : [", "Busy.spin");
            assertThat(busy.inputReader().ready()).as("the program's output").isFalse();
        } finally {
            busy.destroyForcibly();
            assertThat(busy.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /// Its answers take half a millisecond of CPU, and look at the clock of the CPU meanwhile.
    private String served(int port) throws Exception {
        Path source = Path.of("src/test/resources/wallfinder/lab/KnownTimes.java").toAbsolutePath();
        return "%s/bin/java %s %d 4 cpu=0.5"
                .formatted(System.getProperty("java.home"), source, port);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    @Tag("long")
    void a_url_is_driven_with_the_profiler_and_without() throws Exception {
        int port = freePort();
        Process service = new ProcessBuilder(served(port).split(" ")).start();
        try {
            assertThat(service.inputReader().readLine()).isEqualTo("ready");
            String url = "http://127.0.0.1:" + port + "/";
            Program.Ended ended =
                    program.run(
                            "profile",
                            url,
                            "-c",
                            "4",
                            "-d",
                            "1s",
                            "--warmup",
                            "2s",
                            "--json",
                            json.toString());
            assertThat(ended.out())
                    .contains(
                            "An answer takes ",
                            "us of CPU",
                            "getThreadTotalCpuTime",
                            "without it at most")
                    .contains("With the profiler, the service gave ");
            assertThat(Program.schemaErrors(json)).isEmpty();
            assertThat(Files.readString(json))
                    .contains("\"cpuMicrosPerAnswer\"", "\"speedupMax\"", "\"bytesPerAnswer\"");
        } finally {
            service.destroyForcibly();
            assertThat(service.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @Tag("sandbox")
    @Tag("long")
    void an_experiment_is_profiled_in_its_sandbox() throws Exception {
        Path file =
                Files.writeString(
                        program.file("burning.yaml"),
                        """
                        services:
                          web: { command: "%s", ready: { log: ready } }
                        load: { url: "http://{server}:8080/", connections: 4, duration: 1s, warmup: 2s }
                        """
                                .formatted(served(8080)));
        Program.Ended ended = program.run("profile", file.toString());
        assertThat(ended.out()).contains("An answer takes ", "getThreadTotalCpuTime");
    }

    @Test
    void a_process_that_is_not_a_jvm_has_its_program_and_its_libraries() throws Exception {
        Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        try {
            String pid = Long.toString(busy.pid());
            assertThat(program.run("profile", "--pid", pid, "-d", "500ms").done(0).out())
                    .contains("It used ", "process")
                    .containsPattern("sh(: \\w+)? +process +\\d")
                    .doesNotContain("no-stacks");
        } finally {
            busy.destroyForcibly();
            assertThat(busy.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_process_that_does_nothing_used_no_cpu() throws Exception {
        Process idle = new ProcessBuilder("sleep", "60").start();
        try {
            String pid = Long.toString(idle.pid());
            assertThat(program.run("profile", "--pid", pid, "-d", "2s").done(0).out())
                    .contains("It used no CPU");
        } finally {
            idle.destroyForcibly();
            assertThat(idle.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
