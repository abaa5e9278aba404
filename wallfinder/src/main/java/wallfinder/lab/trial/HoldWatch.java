package wallfinder.lab.trial;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.HoldSpec;
import wallfinder.load.HoldRun;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.sandbox.HostMemory;

/// Watches whether held connections have to end before their time: because this host has too little
/// memory left, or because no connection gets its first answer any more.
public final class HoldWatch {
    private final HoldSpec spec;
    private final HoldRun run;
    private final long memoryFloorBytes;
    private final @Nullable HostMemory memoryBefore;
    private final OpeningWatch opening;
    private final List<Caveat> caveats = new ArrayList<>();

    /// @param memoryBefore the memory of this host before the run was prepared, or null if unknown
    public HoldWatch(
            HoldSpec spec, HoldRun run, long memoryFloorBytes, @Nullable HostMemory memoryBefore) {
        this.spec = spec;
        this.run = run;
        this.memoryFloorBytes = memoryFloorBytes;
        this.memoryBefore = memoryBefore;
        opening =
                new OpeningWatch(spec.connections(), spec.messages().timeout(), System.nanoTime());
    }

    /// Whether connections still open and want a first answer.
    private boolean opens() {
        return !run.settled() && spec.messages().kind() == HoldSpec.Kind.ECHO;
    }

    /// The reason is then among the [#caveats].
    public boolean mustEnd() {
        return memoryIsShort() || (opens() && stalled());
    }

    public List<Caveat> caveats() {
        return caveats;
    }

    private boolean stalled() {
        long now = System.nanoTime();
        long failed = run.progress().errors();
        if (!opening.stalled(now, run.firstAnswers(), failed)) {
            return false;
        }
        caveats.add(
                Doubt.OPENING_STALLED.caveat(
                        opening.describe(now, run.progress().connections(), failed)));
        return true;
    }

    /// Held connections use the kernel's memory, and nothing else bounds it.
    private boolean memoryIsShort() {
        HostMemory now = HostMemory.read();
        long free =
                now == null || memoryBefore == null ? Long.MAX_VALUE : now.leftSince(memoryBefore);
        if (free >= memoryFloorBytes) {
            return false;
        }
        caveats.add(Doubt.MEMORY_FLOOR.caveat(free >> 20, memoryFloorBytes >> 20));
        return true;
    }

    /// What happens, for the user.
    String doing() {
        long now = System.nanoTime();
        if (opens() && opening.waits(now)) {
            return opening.describe(now, run.progress().connections(), run.progress().errors());
        }
        return "%s %,d connections"
                .formatted(run.settled() ? "holding" : "opening", spec.connections());
    }
}
