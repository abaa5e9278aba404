package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Reader;

/// Limits beyond which a program gets no thread, and whose refusals the kernel does not count: the
/// tasks of its user, and the memory maps of a process, of which each stack needs one or two.
///
/// Read it after the [ProcessReader] with the service's processes. It counts the user's tasks once
/// a second and the maps once in up to 30 seconds if that is expensive, and both at the first and
/// the last sample. It does not look for a user's tasks while the whole host has fewer than that
/// user may have.
final class TaskLimitsReader implements Reader, Paced {
    private static final byte[] UID = KernelText.key("Uid:");
    private static final byte[] THREADS = KernelText.key("Threads:");
    private static final byte[] CAPABILITIES = KernelText.key("CapEff:");

    /// CAP_SYS_ADMIN (21) or CAP_SYS_RESOURCE (24) lifts the limit.
    private static final long EXEMPT = 1L << 21 | 1L << 24;

    private static final File PROC = new File("/proc");
    private static final int PROCESSES_MAX = 16_384;
    private static final int BUFFER_BYTES = 1 << 16;

    private final ProcessReader processes;
    private final List<Counter> counters;
    private final SampledFile load = new SampledFile(Path.of("/proc/loadavg"));
    private final double mapLimit = SampledFile.numberIn(Path.of("/proc/sys/vm/max_map_count"));
    private final Pace tasksPace = Pace.cheaply(System::nanoTime);
    private final Pace mapsPace = Pace.seldomIfExpensive(System::nanoTime);
    private final KernelText text = new KernelText();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private double tasks = Double.NaN;
    private double taskLimit = Double.NaN;
    private double maps = Double.NaN;

    TaskLimitsReader(ProcessReader processes) {
        this.processes = processes;
        counters =
                List.of(
                        counter(ProcessFigure.USER_TASKS, "/proc/PID/status"),
                        counter(ProcessFigure.USER_TASK_LIMIT, "/proc/PID/limits"),
                        counter(ProcessFigure.MAPS, "/proc/PID/maps"),
                        counter(ProcessFigure.MAP_LIMIT, "vm.max_map_count"));
    }

    private Counter counter(ProcessFigure figure, String source) {
        return figure.of(processes.service()).at(processes.end(), source);
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void readInFullNext() {
        tasksPace.force();
        mapsPace.force();
    }

    @Override
    public void read(double[] values, int from) {
        tasksPace.run(this::countTasks);
        mapsPace.run(this::countMaps);
        values[from] = tasks;
        values[from + 1] = taskLimit;
        values[from + 2] = maps;
        values[from + 3] = Double.isNaN(maps) ? Double.NaN : mapLimit;
    }

    /// Of the user with the largest share of the limit, if the service has several users.
    private void countTasks() {
        tasks = Double.NaN;
        taskLimit = Double.NaN;
        double counted = Double.NaN;
        for (ProcessStat process : processes.members()) {
            double user = user(process);
            double limit = Double.isNaN(user) ? Double.NaN : limit(process);
            if (Double.isNaN(limit) || user == counted || tasksOfHost() < limit) {
                continue;
            }
            counted = user;
            double used = tasksOf(user);
            if (Double.isNaN(tasks) || used / limit > tasks / taskLimit) {
                tasks = used;
                taskLimit = limit;
            }
        }
    }

    /// The user of a process; `NaN` if it has ended, or if the limit does not apply to it
    /// (`copy_process`, kernel/fork.c).
    private double user(ProcessStat process) {
        if (process.dead() || !text.loadOnce("/proc/" + process.pid() + "/status")) {
            return Double.NaN;
        }
        double user = text.seek(UID) ? text.number() : Double.NaN;
        boolean exempt =
                !text.seek(CAPABILITIES) || (Long.parseUnsignedLong(text.word(), 16) & EXEMPT) != 0;
        return user == 0 || exempt ? Double.NaN : user;
    }

    private double limit(ProcessStat process) {
        return ProcessLimits.tasks(process.pid(), text);
    }

    /// The fourth word of the file is `running/all`.
    private double tasksOfHost() {
        if (!load.read()) {
            return Double.POSITIVE_INFINITY;
        }
        load.text().skipWords(3);
        String word = load.text().word();
        return ProcessTree.number(word.substring(word.indexOf('/') + 1));
    }

    private double tasksOf(double user) {
        double used = 0;
        String[] names = ProcessTree.names(PROC);
        for (int i = 0; i < Math.min(names.length, PROCESSES_MAX); i++) {
            int pid = ProcessTree.number(names[i]);
            if (pid > 0
                    && text.loadOnce("/proc/" + pid + "/status")
                    && text.seek(UID)
                    && text.number() == user
                    && text.seek(THREADS)) {
                used += text.number();
            }
        }
        return used;
    }

    private void countMaps() {
        maps = Double.NaN;
        for (ProcessStat process : processes.members()) {
            double own = process.dead() ? Double.NaN : mapsOf(process.pid());
            if (own > 0 && !(own <= maps)) {
                maps = own;
            }
        }
    }

    /// The lines of a file that may have several megabytes.
    private double mapsOf(int pid) {
        try (RandomAccessFile file = new RandomAccessFile("/proc/" + pid + "/maps", "r")) {
            double lines = 0;
            int length = file.read(buffer);
            while (length > 0) {
                for (int i = 0; i < length; i++) {
                    lines += buffer[i] == '\n' ? 1 : 0;
                }
                length = file.read(buffer);
            }
            return lines;
        } catch (IOException e) {
            return Double.NaN; // the process has ended, or belongs to another user
        }
    }

    @Override
    public void close() {
        load.close();
    }
}
