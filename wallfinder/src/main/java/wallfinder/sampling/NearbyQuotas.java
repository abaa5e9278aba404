package wallfinder.sampling;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.CgroupSubject;
import wallfinder.observation.Counter;
import wallfinder.observation.End;

/// The CPU quotas of other cgroups that stop the processes of a cgroup: those of its parents, and
/// those of the groups inside it, as of the containers of a pod. Each is a subject of its own.
final class NearbyQuotas implements AutoCloseable {
    private static final int VALUES = CpuStat.VALUES + 1;

    private static final int DEPTH_MAX = 3;

    private static final int GROUPS_MAX = 64;

    private final List<Group> groups = new ArrayList<>();
    private final List<CgroupLimits> limitsInside = new ArrayList<>();
    private final boolean version1;
    private double[] quotas;

    private record Group(Path folder, String subject, CpuStat stat, CgroupLimits limits) {}

    /// Counts the groups that have a quota now.
    ///
    /// @param limits of the group itself and its parents
    NearbyQuotas(CgroupDirs dirs, String service, CgroupLimits limits) {
        version1 = dirs.version() == 1;
        for (CgroupLimits.Level level : limits.cpuLevels()) {
            if (!level.folder().equals(dirs.cpu())) {
                String parent = level.folder().getFileName().toString();
                add(level.folder(), CgroupSubject.around(service, parent), limits);
            }
        }
        for (Path folder : inside(dirs.cpu())) {
            CgroupLimits own = new CgroupLimits(new CgroupDirs(dirs.version(), folder, null, null));
            if (own.cpus(folder) > 0) {
                limitsInside.add(own);
                add(folder, CgroupSubject.inside(service, folder.getFileName().toString()), own);
            } else {
                own.close();
            }
        }
        quotas = readQuotas();
    }

    private void add(Path folder, CgroupSubject subject, CgroupLimits limits) {
        groups.add(new Group(folder, subject.text(), new CpuStat(folder, version1), limits));
    }

    private static List<Path> inside(@Nullable Path folder) {
        if (folder == null) {
            return List.of();
        }
        try (Stream<Path> folders = Files.walk(folder, DEPTH_MAX)) {
            return folders.filter(Files::isDirectory)
                    .filter(found -> !found.equals(folder))
                    .limit(GROUPS_MAX)
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // a folder has been removed meanwhile
        }
    }

    /// Such as `cgroup[web in pod7].throttledPeriods` or `cgroup[app of web].throttledPeriods`.
    ///
    /// @param quota the name of the file with the quota
    Stream<Counter> counters(End end, String quota) {
        return groups.stream()
                .flatMap(group ->
                        Stream.concat(
                                CpuStat.counters(
                                        end,
                                        group.subject(),
                                        group.folder().resolve("cpu.stat").toString()),
                                Stream.of(
                                        CgroupFigure.CPU_QUOTA
                                                .of(group.subject())
                                                .at(
                                                        end,
                                                        group.folder()
                                                                .resolve(quota)
                                                                .toString()))));
    }

    void readLimits() {
        quotas = readQuotas();
    }

    private double[] readQuotas() {
        return groups.stream().mapToDouble(group -> group.limits().cpus(group.folder())).toArray();
    }

    void read(double[] values, int from) {
        for (int i = 0; i < groups.size(); i++) {
            int at = from + i * VALUES;
            groups.get(i).stat().read(values, at);
            values[at + CpuStat.VALUES] = quotas[i];
        }
    }

    @Override
    public void close() {
        groups.forEach(group -> group.stat().close());
        limitsInside.forEach(CgroupLimits::close);
    }
}
