package wallfinder.load;

import java.util.BitSet;
import wallfinder.linux.Affinity;
import wallfinder.linux.CpuTurn;
import wallfinder.linux.DescriptorTable;
import wallfinder.linux.TimerSlack;

/// Where and how the engine's threads run.
///
/// @param enter run first on each of them, to enter a namespace for example
/// @param cpus they are pinned to these in turn, or empty: not pinned
@SuppressWarnings("ArrayRecordComponent") // read-only by convention
public record EngineThreads(Runnable enter, int[] cpus, EngineChoice engine) {
    /// Makes the calling thread the one of that number.
    ///
    /// @param ownTable whether it gets descriptors of its own, see [DescriptorTable]
    void begin(int thread, boolean ownTable) {
        enter.run();
        if (cpus.length > 0) {
            BitSet cpu = new BitSet();
            cpu.set(cpus[thread % cpus.length]);
            Affinity.pin(cpu);
        }
        if (ownTable) {
            DescriptorTable.unshare();
        }
        TimerSlack.minimize();
        // The samplers and the JVM's own threads run on these CPUs, too, and can wait.
        CpuTurn.wakeSooner(cpus.length > 0);
    }
}
