package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.StartedProcesses;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.profiling.KnownCosts;

/// Asks JVMs with virtual threads what their carriers do.
@Tag("slow")
class CarrierWatchTest {
    /// A virtual thread is pinned while it initializes a class, in any version of Java.
    private static final String PINNED =
            """
            class Pinned {
                static class Slow {
                    static int value;
                    static {
                        System.out.println("pinned");
                        try {
                            Thread.sleep(60_000);
                        } catch (InterruptedException e) {
                            value = 1;
                        }
                    }
                }
                public static void main(String[] arguments) throws Exception {
                    Thread.ofVirtual().start(() -> Slow.value++).join();
                }
            }
            """;

    @TempDir static Path classes;
    @TempDir Path folder;
    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    @BeforeAll
    static void compile() {
        KnownCosts.compile(Runtime.version().feature(), classes, Map.of("Pinned", PINNED));
    }

    @AfterEach
    void deleteSockets() throws IOException {
        for (Process process : started.all()) {
            Files.deleteIfExists(socket(process));
        }
    }

    private static Path socket(Process process) {
        return Path.of("/tmp/.java_pid" + process.pid());
    }

    private Process pinned(String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classes.toString(), "Pinned"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("pinned");
        return process;
    }

    @Test
    void a_held_carrier_is_counted_at_each_look_and_no_file_stays_behind() throws Exception {
        Process process = pinned("-Djdk.virtualThreadScheduler.parallelism=1");
        for (int round = 1; round <= 2; round++) {
            try (CarrierWatch watch = new CarrierWatch((int) process.pid(), () -> true)) {
                Readings.waitFor("3 looks", () -> watch.seen().looks() >= 3);
                assertThat(watch.seen().carriers()).isGreaterThanOrEqualTo(3);
                assertThat(watch.seen().held()).isEqualTo(watch.seen().looks());
            }
            assertThat(socket(process)).doesNotExist();
            assertThat(Path.of("/tmp/.attach_pid" + process.pid())).doesNotExist();
        }
        assertThat(process.isAlive()).isTrue();
    }

    @Test
    void a_file_that_a_killed_attach_left_behind_does_not_stop_the_next_one() throws Exception {
        Process process = pinned();
        Path leftover = Files.createFile(Path.of("/tmp/.attach_pid" + process.pid()));
        try (CarrierWatch watch = new CarrierWatch((int) process.pid(), () -> true)) {
            Readings.waitFor("a look", () -> watch.seen().looks() >= 1);
        }
        assertThat(leftover).doesNotExist();
    }

    @Test
    void a_jvm_among_the_processes_of_a_service_is_asked() throws Exception {
        Process process = pinned();
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader =
                        new JvmReader(processes, new JvmAsking.IfAffordable(Optional.empty()))) {
            Readings.waitFor(
                    "a look",
                    () -> {
                        Readings.inFull(processes);
                        return Readings.inFull(reader).get(JvmFigure.CARRIERS_HELD.of("x").text())
                                > 0;
                    });
            assertThat(Readings.of(reader).get(JvmFigure.VIRTUAL_THREADS.of("x").text()))
                    .isEqualTo(1);
        }
    }

    @Test
    void a_jvm_is_not_asked_without_permission() throws Exception {
        Process process = pinned();
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor(
                    "its virtual thread",
                    () -> {
                        Readings.inFull(processes);
                        return Readings.inFull(reader).get(JvmFigure.VIRTUAL_THREADS.of("x").text())
                                > 0;
                    });
            assertThat(Readings.inFull(reader).get(JvmFigure.CARRIER_LOOKS.of("x").text()))
                    .isZero();
        }
        assertThat(socket(process)).doesNotExist();
    }

    /// The signal would kill this JVM. It creates its attach socket at start instead.
    @Test
    void a_jvm_that_does_not_catch_the_signal_lives_on() throws Exception {
        Process process = pinned("-Xrs");
        try (AttachSocket socket = new AttachSocket((int) process.pid())) {
            assertThat(socket.threads()).contains("Carrying virtual thread");
        }
        Files.delete(socket(process));
        try (AttachSocket socket = new AttachSocket((int) process.pid())) {
            assertThat(socket.threads()).isNull();
        }
        assertThat(process.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
    }

    /// This JVM would write a thread dump to its log.
    @Test
    void a_jvm_that_forbids_attaching_gets_no_signal() throws Exception {
        Process process = pinned("-XX:+DisableAttachMechanism");
        try (AttachSocket socket = new AttachSocket((int) process.pid())) {
            assertThat(socket.threads()).isNull();
        }
        assertThat(process.getInputStream().available()).isZero();
    }

    /// The signal would kill this JVM, so nothing replaces the link.
    @Test
    void a_link_in_place_of_the_socket_leads_nowhere() throws Exception {
        Process process = pinned("-Xrs");
        Files.deleteIfExists(socket(process));
        Path other = folder.resolve("other");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                AttachSocket socket = new AttachSocket((int) process.pid())) {
            server.bind(UnixDomainSocketAddress.of(other));
            server.configureBlocking(false);
            Files.createSymbolicLink(socket(process), other);
            assertThat(socket.threads()).isNull();
            assertThat(server.accept()).isNull();
        }
        assertThat(socket(process)).isSymbolicLink();
    }

    @Test
    void an_ended_process_does_not_answer() throws Exception {
        Process process = pinned();
        process.destroyForcibly();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        try (AttachSocket socket = new AttachSocket((int) process.pid())) {
            assertThat(socket.threads()).isNull();
        }
    }
}
