package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.UsageException;
import wallfinder.observation.End;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.JavaChild;
import wallfinder.sandbox.Residence;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Sandboxes;

/// A host that shows users only their own processes, by the mount option `hidepid` of `/proc`. A
/// process namespace keeps the option away from the real host.
@Tag("sandbox")
class HiddenProcessesTest {
    /// The shell stays, as the first process. It belongs to a user with more rights.
    private static final String HIDE = "mount -t proc -o hidepid=2 proc /proc && \"$@\"; exit";

    @TempDir Path folder;

    /// Prints what is known of the services at some addresses, and of the first process.
    static final class Probe {
        /// @param places each an address and a port
        public static void main(String[] places) throws Exception {
            for (int i = 0; i < places.length; i += 2) {
                InetAddress address = InetAddress.getByName(places[i]);
                int port = Integer.parseInt(places[i + 1]);
                System.out.println(TargetProcess.of(new InetSocketAddress(address, port)));
            }
            try (Residence first = Residence.of(1)) {
                System.out.println(first.name());
            } catch (UsageException e) {
                System.out.println(e.why());
            }
        }
    }

    @Test
    void a_service_that_may_belong_to_a_hidden_process_is_not_said_to_be_elsewhere()
            throws Exception {
        SandboxSpec plain = new SandboxSpec(Map.of(), Map.of());
        try (RunLock lock = RunLock.hold("test-" + UUID.randomUUID());
                Sandbox sandbox = Sandbox.open(plain, lock, folder, CpuPlan.split(1));
                ServerSocket here =
                        sandbox.inside(End.CLIENT, () -> new ServerSocket(0, 1, address("::")));
                ServerSocket neighbour =
                        sandbox.inside(
                                End.SERVER,
                                () -> new ServerSocket(0, 1, address(Sandboxes.server(sandbox))))) {
            List<String> output =
                    probe(
                            sandbox.holderTid(End.CLIENT),
                            "127.0.0.1",
                            Integer.toString(here.getLocalPort()),
                            neighbour.getInetAddress().getHostAddress(),
                            Integer.toString(neighbour.getLocalPort()));
            assertThat(output)
                    .satisfiesExactly(
                            own -> assertThat(own).startsWith("Unknown[").contains("hidepid"),
                            near -> assertThat(near).startsWith("Unclear[").contains("as root"),
                            first -> assertThat(first).startsWith("it has").contains("hidepid"));
        }
    }

    private static InetAddress address(String text) throws Exception {
        return InetAddress.getByName(text);
    }

    private List<String> probe(long holder, String... places) throws Exception {
        Path output = folder.resolve("probe.out");
        List<String> prefix =
                List.of(
                        "nsenter",
                        "--net=/proc/" + holder + "/ns/net",
                        "unshare",
                        "--mount",
                        "--pid",
                        "--fork",
                        "--kill-child",
                        "sh",
                        "-c",
                        HIDE,
                        "sh",
                        "setpriv",
                        "--regid=65534",
                        "--clear-groups",
                        "--bounding-set=-all",
                        "--inh-caps=-all",
                        "--");
        Process process =
                JavaChild.start(
                        Probe.class,
                        prefix,
                        List.of("-XX:TieredStopAtLevel=1", "-Xmx64m"),
                        output,
                        places);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output);
    }
}
