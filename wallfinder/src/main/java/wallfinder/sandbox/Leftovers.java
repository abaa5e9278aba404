package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.Processes;

/// What runs have left behind that could not end in order: after kill -9 the kernel removes their
/// namespaces and the services, but neither the services' own children nor the cgroups. Runs whose
/// lock is held are never touched.
public final class Leftovers {
    private Leftovers() {}

    /// Removes all that dead runs of this user have left.
    ///
    /// @return the ids of the runs that were cleaned up
    public static List<String> sweep() {
        return sweep(RunFolder.ofThisUser());
    }

    static List<String> sweep(Path folder) {
        List<String> swept = new ArrayList<>();
        try {
            for (Path file : runFiles(folder)) {
                Optional<LockFile> lock = LockFile.takeExisting(file);
                if (lock.isPresent()) {
                    String name = file.getFileName().toString();
                    String runId = name.substring(0, name.length() - RunLock.SUFFIX.length());
                    clean(runId, lock.get());
                    swept.add(runId);
                }
            }
        } catch (IOException e) {
            throw new EnvironmentException(
                    "what an earlier run has left cannot be removed",
                    e.toString(),
                    "remove the folders wallfinder-* under /sys/fs/cgroup by hand");
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

    /// Kills the processes that carry a run's mark in their environment: those that no cgroup
    /// holds.
    static void killMarked(String mark) throws IOException {
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (ServiceMark.isOn(process, mark)) {
                    Processes.kill(
                            Long.parseLong(process.getFileName().toString()),
                            () -> ServiceMark.isOn(process, mark));
                }
            }
        }
    }

    private static List<Path> runFiles(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*" + RunLock.SUFFIX)) {
            found.forEach(files::add);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        }
        return files;
    }
}
