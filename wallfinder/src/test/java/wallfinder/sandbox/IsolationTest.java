package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.observation.End;

@Tag("sandbox")
class IsolationTest {
    private static final String SOMAXCONN = "/proc/sys/net/core/somaxconn";

    /// Runs a program in its own mount namespace, as a container without privileges has it.
    private static final List<String> READ_ONLY =
            List.of(
                    "unshare",
                    "-m",
                    "sh",
                    "-c",
                    "mount --bind /proc/sys /proc/sys"
                            + " && mount -o remount,bind,ro /proc/sys && exec \"$@\"",
                    "sh");

    @TempDir Path folder;

    /// Opens a sandbox, runs a service in it and prints what it finds.
    static final class Probe {
        /// @param arguments the folder of the logs, and the server's somaxconn or nothing
        public static void main(String[] arguments) {
            Map<String, String> sysctls =
                    arguments.length > 1 ? Map.of("net.core.somaxconn", arguments[1]) : Map.of();
            SandboxSpec spec = new SandboxSpec(sysctls, Map.of());
            try (RunLock run = RunLock.hold(Sandboxes.runId());
                    Sandbox sandbox =
                            Sandbox.open(
                                    spec, run, Path.of(arguments[0]), Sandboxes.sharedCpus())) {
                System.out.println("isolation " + sandbox.isolation());
                System.out.println("server " + Sandboxes.server(sandbox));
                System.out.println(
                        "somaxconn " + sandbox.sysctls(End.SERVER).get("net.core.somaxconn"));
                sandbox.caveats().stream()
                        .forEach(caveat -> {
                            System.out.println("caveat " + caveat.id());
                            System.out.println("advice " + caveat.advice());
                        });
                Service service =
                        Sandboxes.start(
                                sandbox,
                                Sandboxes.service(
                                        "web",
                                        "{jvm}/bin/java -m jdk.httpserver -b {server} -p 18437 -d /usr",
                                        Limits.NONE,
                                        new Readiness.Tcp("{server}", "18437")));
                System.out.println("ready " + service.alive());
                service.stop();
                System.out.println("stopped " + !service.alive());
            }
        }
    }

    private List<String> probe(String... prefix) throws Exception {
        return probe(List.of(prefix), folder.toString(), "77");
    }

    private List<String> probe(List<String> prefix, String... arguments) throws Exception {
        Path output = folder.resolve("probe.out");
        Process process = JavaChild.start(Probe.class, prefix, output, arguments);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output);
    }

    @Test
    void without_the_right_to_namespaces_the_unchanged_loopback_of_the_host_is_used()
            throws Exception {
        String host = Sysctls.read("net.core.somaxconn");
        assertThat(probe("setpriv", "--bounding-set=-sys_admin", "--"))
                .startsWith("isolation host", "server 127.0.0.1", "somaxconn " + host)
                .contains(
                        "caveat no-namespaces",
                        "caveat sysctl-not-applied:server.net.core.somaxconn")
                .endsWith("ready true", "stopped true");
        assertThat(Sysctls.read("net.core.somaxconn")).isEqualTo(host);
    }

    @Test
    void in_a_user_namespace_the_ends_are_separate_and_have_their_settings() throws Exception {
        boolean hidden =
                new ProcessBuilder("unshare", "-Urn", "test", "-e", SOMAXCONN).start().waitFor()
                        != 0;
        List<String> lines = probe("unshare", "-Urnmpf", "--mount-proc", "--kill-child");
        assertThat(lines)
                .startsWith(
                        "isolation user-namespaces",
                        "server 198.18.0.1",
                        "somaxconn " + (hidden ? "null" : "77"))
                .doesNotContain("caveat no-namespaces")
                .endsWith("ready true", "stopped true");
        assertThat(lines.contains("caveat sysctl-hidden")).isEqualTo(hidden);
    }

    @ParameterizedTest(name = "{0} network namespaces are allowed")
    @ValueSource(ints = {0, 1})
    void where_two_more_namespaces_are_not_allowed_the_loopback_of_the_host_is_used(int allowed)
            throws Exception {
        List<String> limited =
                List.of(
                        "unshare",
                        "-Ur",
                        "sh",
                        "-c",
                        "echo " + allowed + " > /proc/sys/user/max_net_namespaces; exec \"$@\"",
                        "sh");
        assertThat(probe(limited, folder.toString()))
                .startsWith("isolation host", "server 127.0.0.1")
                .contains("caveat no-namespaces")
                .anyMatch(line -> line.contains("user.max_net_namespaces"))
                .endsWith("ready true", "stopped true");
    }

    @Test
    void where_proc_sys_is_read_only_an_experiment_without_kernel_settings_runs() throws Exception {
        assertThat(probe(READ_ONLY, folder.toString()))
                .startsWith("isolation namespaces", "server 198.18.0.1")
                .endsWith("ready true", "stopped true");
    }

    @Test
    void where_proc_sys_is_read_only_the_error_for_a_kernel_setting_says_so() throws Exception {
        assertThat(probe(READ_ONLY, folder.toString(), "77"))
                .anySatisfy(line ->
                        assertThat(line)
                                .contains(
                                        "net.core.somaxconn cannot be set to \"77\"",
                                        "/proc/sys is mounted read-only"));
    }

    @Test
    void with_all_rights_there_is_no_caveat() throws Exception {
        assertThat(probe())
                .containsExactly(
                        "isolation namespaces",
                        "server 198.18.0.1",
                        "somaxconn 77",
                        "ready true",
                        "stopped true");
    }
}
