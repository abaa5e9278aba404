package wallfinder.sampling;

import static java.nio.file.StandardOpenOption.APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.observation.End;

class LogReaderTest {
    private static final String ERROR = "java.lang.OutOfMemoryError: Java heap space\n";

    @TempDir Path folder;
    private Path log;

    @BeforeEach
    void begin() throws Exception {
        log = Files.createFile(folder.resolve("service.log"));
    }

    private void write(String text) throws Exception {
        Files.writeString(log, text, APPEND);
    }

    private static double errors(LogReader reader) {
        return Readings.of(reader).get("log[x].heapErrors");
    }

    private LogReader reader(long from) {
        return new LogReader(End.SERVER, "x", log.toFile(), from);
    }

    @Test
    void each_error_is_counted_once() throws Exception {
        try (LogReader reader = reader(0)) {
            assertThat(errors(reader)).isZero();
            write("started\nException in thread \"a\" " + ERROR);
            assertThat(errors(reader)).isEqualTo(1);
            assertThat(errors(reader)).isEqualTo(1);
            write("Terminating due to java.lang.OutOfMemoryError: GC overhead limit exceeded\n");
            assertThat(errors(reader)).isEqualTo(2);
        }
    }

    @Test
    void an_error_that_is_written_in_two_parts_is_counted_once() throws Exception {
        for (int cut = 1; cut < ERROR.length(); cut++) {
            Files.writeString(log, "");
            try (LogReader reader = reader(0)) {
                write(ERROR + ERROR.substring(0, cut));
                errors(reader);
                write(ERROR.substring(cut) + "more\n");
                assertThat(errors(reader)).as("cut at " + cut).isEqualTo(2);
            }
        }
    }

    @Test
    void errors_of_the_same_class_with_another_message_are_not_counted() throws Exception {
        try (LogReader reader = reader(0)) {
            write("java.lang.OutOfMemoryError: unable to create native thread\n");
            write("java.lang.OutOfMemoryError: Metaspace\n");
            write("java.lang.OutOfMemoryError: Cannot reserve 1 bytes of direct buffer memory\n");
            assertThat(errors(reader)).isZero();
        }
    }

    @Test
    void refused_descriptors_and_threads_are_counted_as_each_runtime_reports_them()
            throws Exception {
        try (LogReader reader = reader(0)) {
            write("accept4() failed (24: Too many open files)\n");
            write("OSError: [Errno 23] Too many open files in system: '/dev/null'\n");
            write("Error: EMFILE: too many open files, open 'x'\n");
            write("Error: ENFILE: file table overflow, open 'x'\n");
            write("java.lang.OutOfMemoryError: unable to create native thread: possibly out of\n");
            write("java.lang.OutOfMemoryError: unable to create new native thread\n"); // Java 8
            write("RuntimeError: can't start new thread\n");
            write("runtime: failed to create new OS thread (have 7 already; errno=11)\n");
            assertThat(Readings.of(reader))
                    .containsEntry("log[x].heapErrors", 0.0)
                    .containsEntry("log[x].descriptorErrors", 4.0)
                    .containsEntry("log[x].threadErrors", 4.0);
        }
    }

    @Test
    void what_an_earlier_start_wrote_is_not_counted() throws Exception {
        write(ERROR);
        try (LogReader reader = reader(Files.size(log))) {
            assertThat(errors(reader)).isZero();
            write(ERROR);
            assertThat(errors(reader)).isEqualTo(1);
        }
    }

    @Test
    void only_the_end_of_a_flood_is_read() throws Exception {
        try (LogReader reader = reader(0)) {
            write("x".repeat(1 << 20) + ERROR);
            assertThat(errors(reader)).isEqualTo(1);
        }
    }

    @Test
    void a_file_that_gets_both_outputs_is_read_once() throws Exception {
        assertThat(ofBoth(log, log)).isEqualTo(2);
        assertThat(ofBoth(log, folder.resolve("errors.log"))).isEqualTo(2);
    }

    /// The errors that are counted for a process that writes one to each of its outputs.
    private static double ofBoth(Path out, Path errors) throws Exception {
        String script = "read go; echo '%1$s'; echo '%1$s' >&2".formatted(ERROR.strip());
        Process process =
                new ProcessBuilder("sh", "-c", script)
                        .redirectOutput(Redirect.appendTo(out.toFile()))
                        .redirectError(Redirect.appendTo(errors.toFile()))
                        .start();
        try (LogReader reader = LogReader.ofOutput(End.SERVER, "x", process.pid())) {
            process.getOutputStream().write('\n');
            process.getOutputStream().close();
            process.waitFor();
            return errors(reader);
        }
    }

    @Test
    void a_missing_log_reads_as_nan() {
        try (LogReader reader =
                new LogReader(End.SERVER, "x", folder.resolve("none").toFile(), 0)) {
            assertThat(errors(reader)).isNaN();
        }
    }
}
