package wallfinder.sampling;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.Counter;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Reader;
import wallfinder.observation.WaitFigure;

/// Asks the JVMs of a service for which lock their threads wait, but only while several threads
/// wait for each other.
///
/// Read it after the [WaitsReader] of the service.
final class LocksReader implements Reader {
    private static final String ATTACH = "thread dump by attach (jstack PID)";

    /// A single thread that waits may wait for a moment.
    private static final double WAITING_MIN = 2;

    private final ProcessReader processes;
    private final WaitsReader waits;
    private final @Nullable LockWatch watch;
    private volatile boolean descriptorsLeft; // read by the thread of LockWatch

    LocksReader(ProcessReader processes, WaitsReader waits, JvmAsking asking) {
        this.processes = processes;
        this.waits = waits;
        watch =
                switch (asking) {
                    case JvmAsking.IfAffordable(Optional<CgroupDirs> cgroup) ->
                            new LockWatch(affordable(cgroup));
                    case JvmAsking.Never() -> null;
                };
    }

    private BooleanSupplier affordable(Optional<CgroupDirs> cgroup) {
        BooleanSupplier memoryLeft = JvmAsking.memoryLeft(cgroup.orElse(null));
        return () -> descriptorsLeft && memoryLeft.getAsBoolean();
    }

    /// In the end the source says which lock it was.
    @Override
    public List<Counter> counters() {
        LockDump most = seen().most();
        String source = most == null ? ATTACH : ATTACH + ": " + most.describe();
        return List.of(
                JvmFigure.LOCK_LOOKS.of(processes.service()).at(processes.end(), ATTACH),
                JvmFigure.LOCK_WAITERS.of(processes.service()).at(processes.end(), source));
    }

    private LockWatch.Seen seen() {
        return watch == null ? LockWatch.Seen.NOTHING : watch.seen();
    }

    @Override
    public void read(double[] values, int from) {
        descriptorsLeft = processes.descriptorsLeft();
        if (watch != null && waits.count(WaitFigure.LOCK) >= WAITING_MIN) {
            watch.look(others());
        }
        LockWatch.Seen seen = seen();
        values[from] = seen.looks();
        values[from + 1] = seen.waiters();
    }

    /// A JVM answers while all its threads are stopped, including the one that would read the
    /// answer. So this one is not asked.
    private List<Integer> others() {
        return processes.members().stream()
                .filter(member -> !member.dead())
                .map(ProcessStat::pid)
                .filter(pid -> pid != ProcessHandle.current().pid())
                .toList();
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
    }
}
