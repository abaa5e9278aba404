package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import wallfinder.linux.KernelFile;

/// Where this host lets us create cgroups: at the top of the visible tree. In a container that is
/// the container's own cgroup, whose limits stay in force.
sealed interface CgroupHost {
    /// The controllers whose limits we can set.
    Set<String> controllers();

    /// Version 1: a tree for each controller, or for several mounted together.
    record V1(Map<String, Path> trees) implements CgroupHost {
        @Override
        public Set<String> controllers() {
            return trees.keySet();
        }

        Collection<Path> tops() {
            return new LinkedHashSet<>(trees.values());
        }
    }

    /// Version 2: one tree.
    ///
    /// @param parent the folder for our cgroups
    /// @param controllers those that it delegates to its subfolders
    record V2(Path parent, Set<String> controllers) implements CgroupHost {}

    /// We cannot create cgroups.
    ///
    /// @param why a sentence without its full stop
    record None(String why) implements CgroupHost {
        @Override
        public Set<String> controllers() {
            return Set.of();
        }
    }

    static CgroupHost ofThisHost() {
        try {
            return of(CgroupMounts.ofThisHost(), KernelFile.lines(Path.of("/proc/self/cgroup")));
        } catch (IOException e) {
            return new None("the cgroups of this process cannot be read (" + e + ")");
        }
    }

    /// @param membership the lines of `/proc/self/cgroup`
    static CgroupHost of(CgroupMounts mounts, List<String> membership) {
        if (mounts.limitsInV1()) {
            Path first = mounts.v1().values().iterator().next();
            boolean ours = mounts.v1().values().stream().allMatch(Files::isWritable);
            return ours
                    ? new V1(mounts.v1())
                    : new None("the cgroup tree " + first + " is not writable");
        }
        if (mounts.v2() == null) {
            return new None("no cgroup tree is mounted");
        }
        return v2(mounts.v2(), membership);
    }

    /// The topmost writable folder on the path to our own cgroup that delegates the most
    /// controllers. A folder with processes cannot delegate, except for the host's root cgroup.
    private static CgroupHost v2(Path top, List<String> membership) {
        List<Path> candidates = new ArrayList<>(List.of(top));
        membership.stream()
                .filter(line -> line.startsWith("0::/"))
                .map(line -> Path.of(line.substring("0::/".length())))
                .filter(own -> !own.startsWith(".."))
                .forEach(own ->
                        own.forEach(part -> candidates.add(candidates.getLast().resolve(part))));
        CgroupHost best = new None("no folder of the cgroup tree " + top + " is writable");
        for (Path candidate : candidates) {
            if (Files.isWritable(candidate)
                    && Files.isWritable(candidate.resolve("cgroup.procs"))) {
                Set<String> delegated = controllers(candidate.resolve("cgroup.subtree_control"));
                if (best instanceof None || delegated.size() > best.controllers().size()) {
                    best = new V2(candidate, delegated);
                }
            }
        }
        return best;
    }

    private static Set<String> controllers(Path file) {
        try {
            String text = KernelFile.read(file);
            return Arrays.stream(text.split("\\s+"))
                    .filter(CgroupMounts.USED::contains)
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            return Set.of();
        }
    }
}
