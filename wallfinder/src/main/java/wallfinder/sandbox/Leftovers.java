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

/// What runs have left behind that could not end in order: after kill -9 the kernel removes their
/// namespaces and the services, but neither the services' own children nor the cgroups. Runs whose
/// lock is held are never touched.
public final class Leftovers {
    private static final Duration KILL_MAX = Duration.ofSeconds(5);

    /// A process may have made another one since the last look.
    private static final int PASSES_MAX = 5;

    private Leftovers() {}

    /// What a sweep did.
    ///
    /// @param runs the ids of the runs that were cleaned up
    /// @param failures what could not be removed and stays for a later sweep, in words
    public record Swept(List<String> runs, List<String> failures) {}

    /// Removes all that dead runs of this user have left.
    public static Swept sweep() {
        return sweep(LockFolder.ofThisUser());
    }

    static Swept sweep(Path folder) {
        Swept swept = new Swept(new ArrayList<>(), new ArrayList<>());
        for (Path file : runFiles(folder)) {
            String name = file.getFileName().toString();
            String runId = name.substring(0, name.length() - RunLock.SUFFIX.length());
            try {
                Optional<LockFile> lock = LockFile.takeExisting(file);
                if (lock.isPresent()) {
                    clean(runId, lock.get());
                    swept.runs().add(runId);
                }
            } catch (IOException e) {
                swept.failures().add("of the run " + runId + ": " + e);
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

    /// Kills the processes that carry a mark in their environment, which finds those that no cgroup
    /// holds, until there are none.
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

    private static List<Path> runFiles(Path folder) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*" + RunLock.SUFFIX)) {
            found.forEach(files::add);
        } catch (IOException e) {
            return List.of(); // no run has been, or the folder is not for us to see
        }
        return files;
    }
}
