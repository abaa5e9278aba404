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
import wallfinder.experiment.SandboxSpec;
import wallfinder.linux.KernelFile;
import wallfinder.observation.End;

/// Ends in namespaces that begin without IPv6, as after a boot with `ipv6.disable_ipv6=1`.
@Tag("sandbox")
class DisabledIpv6Test {
    private static final SandboxSpec OVER_IPV6 =
            new SandboxSpec(Map.of(), Map.of(), null, null, true);

    /// The words of `/proc/net/if_inet6` for 2001:2::1 and ::1.
    private static final List<String> ADDRESSES =
            List.of("20010002000000000000000000000001", "00000000000000000000000000000001");

    @TempDir Path folder;

    private static NetworkNamespace withoutIpv6() {
        NetworkNamespace namespace = new NetworkNamespace("server");
        return namespace.call(() -> {
            Sysctls.write("net.ipv6.conf.all.disable_ipv6", "1");
            return namespace;
        });
    }

    @Test
    void the_ends_have_ipv6_addresses() throws Exception {
        try (VethNetwork network =
                VethNetwork.open(OVER_IPV6, withoutIpv6(), new NetworkNamespace("client"))) {
            assertThat(KernelFile.read(network.procNet(End.SERVER).resolve("if_inet6")))
                    .contains(ADDRESSES);
        }
    }

    /// Opens networks in a process whose `/proc/sys` gets read-only, and prints the results.
    static final class ReadOnly {
        public static void main(String[] arguments) throws Exception {
            for (SandboxSpec spec : List.of(Sandboxes.PLAIN, OVER_IPV6)) {
                NetworkNamespace server = withoutIpv6();
                remount("ro");
                try (VethNetwork network =
                        VethNetwork.open(spec, server, new NetworkNamespace("client"))) {
                    System.out.println("server " + network.address(End.SERVER));
                } catch (RuntimeException e) {
                    System.out.println("error " + e.getMessage());
                }
                remount("rw");
            }
        }

        private static void remount(String how) throws Exception {
            new ProcessBuilder("mount", "-o", "remount,bind," + how, "/proc/sys")
                    .inheritIO()
                    .start()
                    .waitFor();
        }
    }

    @Test
    void where_it_cannot_be_enabled_the_ends_have_ipv4_addresses_only() throws Exception {
        List<String> ownMounts =
                List.of(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "mount --bind /proc/sys /proc/sys && exec \"$@\"",
                        "sh");
        Path output = folder.resolve("output");
        Process process = JavaChild.start(ReadOnly.class, ownMounts, output);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readAllLines(output))
                .containsExactly(
                        "server 198.18.0.1",
                        "error the ends cannot have IPv6 addresses:"
                                + " IPv6 is disabled, and /proc/sys is not writable");
    }
}
