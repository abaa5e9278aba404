package wallfinder.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;

/// The CPUs that run now. The mask of a process (`Cpus_allowed_list`) may also have CPUs that are
/// offline: free slots of a virtual machine, or the second threads of cores under `nosmt`.
public final class OnlineCpus {
    private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

    private OnlineCpus() {}

    /// Empty if this host does not show them.
    public static BitSet read() {
        try {
            return CpuList.parse(KernelFile.read(ONLINE));
        } catch (IOException | NumberFormatException e) {
            return new BitSet();
        }
    }

    /// The online CPUs of a process's mask.
    public static BitSet among(BitSet mask) {
        return among(mask, read());
    }

    /// A process always has an online CPU. If none of these is one, the host does not show its real
    /// CPUs, and the whole mask remains.
    static BitSet among(BitSet mask, BitSet online) {
        BitSet both = (BitSet) mask.clone();
        both.and(online);
        return both.isEmpty() ? mask : both;
    }
}
