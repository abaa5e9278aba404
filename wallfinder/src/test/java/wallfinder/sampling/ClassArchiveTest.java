package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Asks a JVM for an archive of its loaded classes.
@Tag("slow")
@Timeout(120)
class ClassArchiveTest {
    @TempDir private Path folder;

    @Test
    void a_killed_jvm_leaves_an_archive_for_another_jvm() throws Exception {
        Path archive = folder.resolve("classes.jsa");
        Process process = waiting(ClassArchive.RECORDING);
        try {
            assertThat(ClassArchive.write(List.of(process.pid()), archive)).isTrue();
            assertThat(process.waitFor()).isEqualTo(128 + 9);
        } finally {
            process.destroyForcibly().waitFor();
        }
        Process next = waiting("-XX:SharedArchiveFile=" + archive, "-Xshare:on");
        next.destroyForcibly().waitFor();
    }

    @Test
    void a_jvm_without_recording_writes_no_archive() throws Exception {
        Path archive = folder.resolve("classes.jsa");
        Process process = waiting();
        try {
            assertThat(ClassArchive.write(List.of(process.pid()), archive)).isFalse();
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(archive).doesNotExist();
    }

    @Test
    void a_process_that_is_not_a_jvm_writes_no_archive() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            assertThat(ClassArchive.write(List.of(process.pid()), folder.resolve("none.jsa")))
                    .isFalse();
            assertThat(process.isAlive()).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /// An archive contains only classes from jars.
    @BeforeEach
    void build() throws Exception {
        WaitingProgram.compile(Runtime.version().feature(), folder.resolve("classes"));
        tool("jar", "cf", jar().toString(), "-C", folder.resolve("classes").toString(), ".");
    }

    private static void tool(String name, String... arguments) {
        int code =
                ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, arguments);
        assertThat(code).isZero();
    }

    private Path jar() {
        return folder.resolve("waiting.jar");
    }

    private Process waiting(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", jar().toString(), "Waiting"));
        Process process = new ProcessBuilder(command).start();
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        return process;
    }
}
