package wallfinder.load;

import java.util.BitSet;
import wallfinder.linux.Affinity;
import wallfinder.linux.CpuTurn;
import wallfinder.linux.DescriptorTable;
import wallfinder.linux.TimerSlack;

/// Where and how the engine threads run.
///
/// @param enter runs first on each thread, for example to enter a namespace
/// @param cpus the threads are pinned to these in turn; empty: not pinned
@SuppressWarnings("ArrayRecordComponent") // read-only by convention
public record EngineThreads(Runnable enter, int[] cpus, EngineChoice engine) {
    /// Prepares the calling thread.
    ///
    /// @param ownTable whether it gets its own descriptors, see [DescriptorTable]
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
        // The samplers and threads of the JVM share these CPUs and can wait.
        CpuTurn.wakeSooner(cpus.length > 0);
    }
}
