package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineSelectionTest {
    /// Starts a command for which io_uring fails with EPERM, as with the default seccomp filters of
    /// containers.
    private static final String FORBID =
            """
            #include <linux/filter.h>
            #include <linux/seccomp.h>
            #include <stddef.h>
            #include <sys/prctl.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            int main(int count, char **arguments) {
                struct sock_filter steps[] = {
                    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
                struct sock_fprog program = {4, steps};
                if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
                return execv(arguments[1], arguments + 1);
            }
            """;

    @TempDir Path folder;

    @Test
    void epoll_drives_if_io_uring_is_forbidden_and_the_reason_is_reported() throws Exception {
        assertThat(selected("AUTO"))
                .startsWith("epoll: io_uring cannot be used: io_uring_setup: EPERM (1)");
    }

    @Test
    void requesting_a_forbidden_io_uring_is_an_error() throws Exception {
        assertThat(selected("IO_URING")).startsWith("refused: ").contains("EPERM", "seccomp");
    }

    @Test
    void requested_epoll_is_used() {
        assertThat(EngineSelection.of(EngineChoice.EPOLL).choice()).isEqualTo(EngineChoice.EPOLL);
    }

    private String selected(String choice) throws Exception {
        Path compiler = Path.of("/usr/bin/cc");
        assumeTrue(Files.isExecutable(compiler), "no C compiler here: nothing can forbid io_uring");
        Files.writeString(folder.resolve("forbid.c"), FORBID);
        run(List.of(compiler.toString(), "-o", "forbid", "forbid.c"));
        List<String> command = new ArrayList<>(List.of("./forbid"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath()));
        command.addAll(List.of(SelectedEngine.class.getName(), choice));
        return run(command);
    }

    private static String classPath() {
        String product = System.getProperty("project.root") + "/wallfinder/target/";
        return product + "classes:" + product + "test-classes";
    }

    private String run(List<String> command) throws Exception {
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
