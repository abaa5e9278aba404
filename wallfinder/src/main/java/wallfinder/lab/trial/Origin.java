package wallfinder.lab.trial;

import java.net.InetAddress;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.sandbox.CpuPlan;

/// Where the load comes from on this host.
///
/// @param sources the addresses to connect from; if empty, the kernel chooses
/// @param cpus the engine threads get one of these each, in turn; if empty, any CPU of the process
public record Origin(List<InetAddress> sources, BitSet cpus) {
    /// The kernel chooses.
    public static final Origin ANY = new Origin(List.of(), new BitSet());

    public Origin {
        sources = List.copyOf(sources);
        cpus = (BitSet) cpus.clone();
    }

    /// @throws UsageException if one is malformed, or this process may not run on a CPU
    public static Origin parse(@Nullable String source, @Nullable String cpuset) {
        BitSet cpus = cpuset == null ? new BitSet() : CpuPlan.parse(cpuset);
        BitSet foreign = (BitSet) cpus.clone();
        foreign.andNot(CpuPlan.allowed());
        if (!foreign.isEmpty()) {
            throw new UsageException(
                    "--cpuset " + cpuset + " cannot be used",
                    "this process may not run on CPU " + foreign.nextSetBit(0),
                    "choose among those of grep Cpus_allowed_list /proc/self/status");
        }
        return new Origin(source == null ? List.of() : SourceRange.parse(source), cpus);
    }
}
