package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.profiling.KnownCosts;

/// Reads the logs of JVMs whose heaps have little free space.
@Tag("slow")
class CollectorWatchTest {
    private static final Pattern LOG = Pattern.compile("/tmp/wallfinder-[^/]+/gc\\.log");

    /// It allocates as fast as it can and keeps some of it.
    private static final String GARBAGE =
            """
            class Garbage {
                static byte[][] kept = new byte[512][];
                public static void main(String[] arguments) {
                    System.out.println("started");
                    for (int i = 0; ; i++) {
                        kept[i % kept.length] = new byte[1 << 16];
                    }
                }
            }
            """;

    @TempDir static Path classes;
    private final List<Process> started = new ArrayList<>();

    @BeforeAll
    static void compile() {
        KnownCosts.compile(Runtime.version().feature(), classes, Map.of("Garbage", GARBAGE));
    }

    @AfterEach
    void endProcesses() throws Exception {
        for (Process process : started) {
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Process allocating(String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of(options));
        command.addAll(List.of("-Xmx64m", "-cp", classes.toString(), "Garbage"));
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        return process;
    }

    private static double value(ProcessReader processes, JvmReader reader, JvmFigure figure) {
        Readings.inFull(processes);
        return Readings.inFull(reader).get(figure.of("x").text());
    }

    private static JvmAsking asks() {
        return new JvmAsking.IfAffordable(Optional.empty());
    }

    /// The log that the JVM writes for the only watch.
    private static Path log(AttachSocket socket) {
        Matcher found = LOG.matcher(Objects.requireNonNull(socket.jcmd("VM.log list")));
        assertThat(found.find()).isTrue();
        return Path.of(found.group());
    }

    @Test
    void waits_for_memory_are_counted_and_the_jvm_is_left_as_it_was() throws Exception {
        Process process = allocating("-XX:+UseZGC");
        try (AttachSocket socket = new AttachSocket((int) process.pid())) {
            String before = socket.jcmd("VM.log list");
            Path log;
            try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                    JvmReader reader = new JvmReader(processes, asks())) {
                Readings.waitFor(
                        "waits", () -> value(processes, reader, JvmFigure.ALLOCATION_STALLS) > 10);
                double seconds = value(processes, reader, JvmFigure.STALLED_SECONDS);
                assertThat(seconds).isPositive();
                assertThat(value(processes, reader, JvmFigure.STALLED_THREAD_SECONDS))
                        .isGreaterThanOrEqualTo(seconds);
                assertThat(value(processes, reader, JvmFigure.LONGEST_STALL)).isPositive();
                log = log(socket);
                assertThat(log).exists();
                assertThat(Files.getPosixFilePermissions(log.getParent()))
                        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
            }
            assertThat(socket.jcmd("VM.log list")).isNotNull().isEqualTo(before);
            assertThat(log.getParent()).doesNotExist();
        }
    }

    @Test
    void two_watches_of_a_jvm_do_not_disturb_each_other() throws Exception {
        Process process = allocating("-XX:+UseZGC");
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, asks())) {
            try (JvmReader other = new JvmReader(processes, asks())) {
                Readings.waitFor(
                        "both",
                        () ->
                                value(processes, reader, JvmFigure.ALLOCATION_STALLS) > 0
                                        && value(processes, other, JvmFigure.ALLOCATION_STALLS)
                                                > 0);
            }
            double before = value(processes, reader, JvmFigure.ALLOCATION_STALLS);
            Readings.waitFor(
                    "more waits",
                    () -> value(processes, reader, JvmFigure.ALLOCATION_STALLS) > before + 10);
        }
    }

    @Test
    void the_log_of_a_killed_jvm_is_deleted() throws Exception {
        Process process = allocating("-XX:+UseZGC");
        Path log;
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, asks());
                AttachSocket socket = new AttachSocket((int) process.pid())) {
            Readings.waitFor(
                    "waits", () -> value(processes, reader, JvmFigure.ALLOCATION_STALLS) > 0);
            log = log(socket);
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(log.getParent()).doesNotExist();
    }

    /// The counters of Shenandoah include its work beside the program.
    @Test
    void the_pauses_of_shenandoah_are_those_of_its_log() throws Exception {
        Process process = allocating("-XX:+UseShenandoahGC");
        long start = System.nanoTime();
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, asks())) {
            Readings.waitFor("pauses", () -> value(processes, reader, JvmFigure.PAUSES) > 20);
            double seconds = value(processes, reader, JvmFigure.PAUSE_SECONDS);
            assertThat(seconds).isPositive().isLessThan((System.nanoTime() - start) / 1e9);
            assertThat(value(processes, reader, JvmFigure.LONGEST_PAUSE))
                    .isPositive()
                    .isLessThanOrEqualTo(value(processes, reader, JvmFigure.PAUSE_SECONDS));
            assertThat(value(processes, reader, JvmFigure.ALLOCATION_STALLS)).isNaN();
        }
    }

    @Test
    void another_collector_writes_no_log() throws Exception {
        Process process = allocating("-XX:+UseSerialGC");
        try (AttachSocket socket = new AttachSocket((int) process.pid());
                ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, asks())) {
            Readings.waitFor("pauses", () -> value(processes, reader, JvmFigure.PAUSES) > 20);
            assertThat(value(processes, reader, JvmFigure.ALLOCATION_STALLS)).isNaN();
            assertThat(socket.jcmd("VM.log list")).isNotNull().doesNotContainPattern(LOG);
        }
    }
}
