package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.linux.Processes;

/// Removes what killed runs left behind. After `kill -9`, the kernel removes a run's namespaces and
/// services, but neither the services' children nor the cgroups. A sweep never touches a run whose
/// lock is held.
final class Leftovers {
    private static final Duration KILL_MAX = Duration.ofSeconds(5);

    /// A process may fork between two passes.
    private static final int PASSES_MAX = 5;

    private Leftovers() {}

    /// @param runs the ids of the runs that were cleaned up
    /// @param failures what could not be removed; a later sweep tries again
    record Swept(List<String> runs, List<String> failures) {}

    /// Removes everything that dead runs left behind.
    ///
    /// @param folder of their lock files
    static Swept sweep(Path folder) {
        Swept swept = new Swept(new ArrayList<>(), new ArrayList<>());
        for (Path file : JvmPlaces.children(folder, "*" + RunLock.SUFFIX)) {
            String name = file.getFileName().toString();
            String runId = name.substring(0, name.length() - RunLock.SUFFIX.length());
            try {
                Optional<LockFile> lock = LockFile.takeExisting(file);
                if (lock.isPresent()) {
                    clean(runId, lock.get());
                    swept.runs().add(runId);
                }
            } catch (IOException e) {
                swept.failures().add("run " + runId + ": " + e);
            }
        }
        return swept;
    }

    private static void clean(String runId, LockFile lock) throws IOException {
        boolean cleaned = false;
        try {
            List<Path> folders =
                    lock.notes().stream()
                            .map(Path::of)
                            .filter(path -> path.endsWith(Cgroup.runFolder(runId)))
                            .toList();
            folders.forEach(Cgroup::freeze);
            for (Path folder : folders) {
                Cgroup.removeTree(folder);
            }
            killMarked(ServiceMark.ofRun(runId));
            cleaned = true;
        } finally {
            if (cleaned) {
                lock.close();
            } else {
                lock.abandon();
            }
        }
    }

    /// Kills the processes that have a mark in their environment, until none is left. This finds
    /// processes outside of any cgroup too.
    static void killMarked(String mark) throws IOException {
        List<Path> marked = marked(mark);
        for (int pass = 0; pass < PASSES_MAX && !marked.isEmpty(); pass++) {
            for (Path process : marked) {
                Processes.kill(
                        Long.parseLong(process.getFileName().toString()),
                        () -> ServiceMark.isOn(process, mark));
            }
            List<Path> killed = marked;
            Wait.until(KILL_MAX, () -> killed.stream().noneMatch(p -> ServiceMark.isOn(p, mark)));
            marked = marked(mark);
        }
    }

    private static List<Path> marked(String mark) throws IOException {
        List<Path> marked = new ArrayList<>();
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (ServiceMark.isOn(process, mark)) {
                    marked.add(process);
                }
            }
        }
        return marked;
    }
}
