package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.StartedProcesses;

/// JVMs that would answer the signal with a thread dump in their log.
@Tag("slow")
class AttachSocketTest {
    private static final String FORBIDDEN = "-XX:+DisableAttachMechanism";

    @TempDir static Path classes;
    @TempDir Path folder;
    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    @BeforeAll
    static void compile() {
        WaitingProgram.compile(Runtime.version().feature(), classes);
    }

    private Process waiting(List<String> before, Map<String, String> variables, String... options)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classes.toString(), WaitingProgram.NAME));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(variables);
        Process process = builder.start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        return process;
    }

    private static void assertNotAsked(Process process) throws IOException {
        try (AttachSocket socket = new AttachSocket((int) process.pid())) {
            assertThat(socket.threads()).isNull();
            assertThat(socket.jcmd("VM.version")).isNull();
        }
        assertThat(process.inputReader().ready()).as("a thread dump").isFalse();
    }

    @Test
    void a_variable_may_forbid_attaching() throws Exception {
        assertNotAsked(waiting(List.of(), Map.of("JAVA_TOOL_OPTIONS", FORBIDDEN)));
    }

    @Test
    void a_file_of_options_may_forbid_attaching() throws Exception {
        Path options = Files.writeString(folder.resolve("options"), FORBIDDEN);
        assertNotAsked(waiting(List.of(), Map.of(), "@" + options));
    }

    @Test
    @Tag("sandbox")
    void a_jvm_in_another_user_namespace_is_not_asked() throws Exception {
        assertNotAsked(waiting(List.of("unshare", "--user", "--map-root-user"), Map.of()));
    }

    @Test
    void any_other_jvm_answers() throws Exception {
        Process process = waiting(List.of(), Map.of());
        try (AttachSocket socket = new AttachSocket((int) process.pid())) {
            assertThat(socket.jcmd("VM.version")).contains("version");
        }
    }
}
