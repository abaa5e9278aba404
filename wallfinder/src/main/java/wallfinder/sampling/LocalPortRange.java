package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Path;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;

/// The local ports that the kernel gives to connections (`net.ipv4.ip_local_port_range`).
///
/// @param reserved how many of them `net.ipv4.ip_local_reserved_ports` excludes
public record LocalPortRange(int portMin, int portMax, int reserved) {
    /// @param procSysNet such as `/proc/sys/net`, which shows the calling thread's namespace
    public static LocalPortRange read(Path procSysNet) {
        Path ipv4 = procSysNet.resolve("ipv4");
        String[] range = text(ipv4.resolve("ip_local_port_range")).split("\\s+");
        int portMin = Integer.parseInt(range[0]);
        int portMax = Integer.parseInt(range[1]);
        String reserved = text(ipv4.resolve("ip_local_reserved_ports"));
        return new LocalPortRange(portMin, portMax, count(reserved, portMin, portMax));
    }

    /// The most connections from one address to one destination.
    public int size() {
        return portMax - portMin + 1 - reserved;
    }

    /// How many ports of a list such as `8080,9000-9010` are in the range.
    private static int count(String list, int portMin, int portMax) {
        int count = 0;
        for (String part : list.split(",")) {
            if (!part.isBlank()) {
                String[] ends = part.split("-");
                int low = Math.max(portMin, Integer.parseInt(ends[0]));
                int high = Math.min(portMax, Integer.parseInt(ends[ends.length - 1]));
                count += Math.max(0, high - low + 1);
            }
        }
        return count;
    }

    private static String text(Path path) {
        try {
            return KernelFile.read(path);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "cannot read the local port range from " + path,
                    String.valueOf(e.getMessage()),
                    "check that /proc is mounted");
        }
    }
}
