package wallfinder.sampling;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

public sealed interface WatchedProgram {
    /// A program that Wallfinder has started.
    ///
    /// @param pid asked once a second
    /// @param logFrom where the output of this start begins
    record Started(
            End end,
            String name,
            LongSupplier pid,
            File log,
            long logFrom,
            Optional<CgroupDirs> cgroup,
            JvmAsking asking)
            implements WatchedProgram {}

    /// A service that Wallfinder did not start.
    ///
    /// @param pids its first processes, asked once a second
    /// @param writer the process whose output is read
    record Found(String name, Supplier<long[]> pids, long writer, Optional<CgroupDirs> cgroup)
            implements WatchedProgram {}

    /// New readers for one measurement. The caller closes them.
    default List<Reader> readers() {
        return switch (this) {
            case Started(var end, var name, var pid, var log, var from, var cgroup, var asking) ->
                    readers(
                            asking,
                            new LogReader(end, name, log, from),
                            cgroup.map(dirs -> new CgroupReader(end, name, dirs)));
            case Found(var name, var pids, var writer, var cgroup) ->
                    readers(
                            new JvmAsking.IfAffordable(cgroup),
                            LogReader.ofOutput(End.SERVER, name, writer),
                            cgroup.map(dirs -> CgroupReader.ofOthers(End.SERVER, name, dirs)));
        };
    }

    private List<Reader> readers(JvmAsking asking, LogReader log, Optional<CgroupReader> cgroup) {
        ProcessReader processes = processes();
        List<Reader> readers =
                new ArrayList<>(List.of(processes, new JvmReader(processes, asking), log));
        readers.add(new TaskLimitsReader(processes));
        cgroup.ifPresent(readers::add);
        if (processes.end() == End.SERVER) {
            WaitsReader waits = new WaitsReader(processes);
            readers.add(waits);
            readers.add(new LocksReader(processes, waits, asking));
        }
        return readers;
    }

    /// New readers for CPU time only. They ask no JVM.
    default List<Reader> cpuReaders() {
        ProcessReader processes = processes();
        return List.of(processes, new JvmReader(processes, new JvmAsking.Never()));
    }

    /// Its first processes.
    default long[] roots() {
        return switch (this) {
            case Started started -> new long[] {started.pid.getAsLong()};
            case Found found -> found.pids.get();
        };
    }

    private ProcessReader processes() {
        return switch (this) {
            case Started started -> new ProcessReader(started.end, started.name, started.pid);
            case Found found -> ProcessReader.ofSeveral(End.SERVER, found.name, found.pids);
        };
    }
}
