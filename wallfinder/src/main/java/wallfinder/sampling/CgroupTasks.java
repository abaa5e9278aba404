package wallfinder.sampling;

import java.nio.file.Path;
import java.util.List;
import wallfinder.linux.CgroupDirs;

/// The processes and threads of a cgroup, and how often it was refused one. A limit of a parent
/// counts the tasks of all groups inside it, so the level with the fewest free places decides.
///
/// Up to Linux 6.10, and in version 1, `pids.events` counts a refusal in the group of the process
/// that wanted a task (`pids_event`, kernel/cgroup/pids.c). Since Linux 6.11 it counts in the group
/// whose limit was reached and in its parents. `pids.events.local`, which exists since then, counts
/// only the refusals of the group's own limit.
final class CgroupTasks implements AutoCloseable {
    private static final byte[] MAX = KernelText.key("max");

    private final CgroupLimits limits;
    private final SampledFile tasks;
    private final SampledFile refused;
    private final List<Parent> parents;
    private SampledFile fullest;
    private double limit = Double.NaN;

    CgroupTasks(CgroupDirs dirs, CgroupLimits limits) {
        this.limits = limits;
        tasks = SampledFile.in(dirs.pids(), "pids.current");
        refused = SampledFile.in(dirs.pids(), "pids.events");
        fullest = tasks;
        parents =
                limits.taskLevels().stream()
                        .map(CgroupLimits.Level::folder)
                        .filter(folder -> !folder.equals(dirs.pids()))
                        .map(Parent::new)
                        .toList();
    }

    /// A parent group with a limit.
    private static final class Parent {
        private final Path folder;
        private final SampledFile tasks;
        private final SampledFile refused;
        private final double refusedBefore;

        Parent(Path folder) {
            this.folder = folder;
            tasks = new SampledFile(folder.resolve("pids.current"));
            refused = new SampledFile(folder.resolve("pids.events.local"));
            refusedBefore = refused.valueOf(MAX);
        }

        /// The refusals since this program began; `NaN` if they count in the group inside.
        double refused() {
            return refused.valueOf(MAX) - refusedBefore;
        }
    }

    /// Finds the level with the fewest free places.
    void readLimits() {
        fullest = tasks;
        limit = Double.NaN;
        double least = Double.POSITIVE_INFINITY;
        for (CgroupLimits.Level level : limits.taskLevels()) {
            SampledFile there = tasksOf(level.folder());
            double free = level.limit() - there.number();
            if (Double.isNaN(limit) || free < least) {
                fullest = there;
                limit = level.limit();
                least = Double.isNaN(free) ? least : free;
            }
        }
    }

    /// The group's own tasks if a parent got its limit later.
    private SampledFile tasksOf(Path folder) {
        return parents.stream()
                .filter(parent -> parent.folder.equals(folder))
                .map(parent -> parent.tasks)
                .findFirst()
                .orElse(tasks);
    }

    /// The tasks that count for [#limit].
    double tasks() {
        return fullest.number();
    }

    /// `NaN` if there is no limit.
    double limit() {
        return limit;
    }

    double refused() {
        return refused.valueOf(MAX);
    }

    /// What the limits of the parents refused this group or another one inside them. `NaN` if they
    /// have no limit or do not count.
    double refusedAbove() {
        return parents.stream()
                .mapToDouble(Parent::refused)
                .filter(times -> !Double.isNaN(times))
                .reduce(Double::sum)
                .orElse(Double.NaN);
    }

    @Override
    public void close() {
        tasks.close();
        refused.close();
        parents.forEach(parent -> {
            parent.tasks.close();
            parent.refused.close();
        });
    }
}
