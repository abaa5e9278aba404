package wallfinder.lab.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import wallfinder.linux.EnvironmentException;
import wallfinder.remote.RemoteProgram;
import wallfinder.remote.SshLink;
import wallfinder.remote.SshTarget;

/// The copies of this program that `--server` makes.
public final class Copies {
    private Copies() {}

    /// @return what was removed, for the user
    /// @throws EnvironmentException if the host does not answer, or does not allow it
    public static String removeFrom(SshTarget target) {
        try (SshLink link = SshLink.open(target, RemoteProgram.removalQuestions())) {
            String folder = link.fact("agents");
            String error = RemoteProgram.remove(link);
            if (error != null) {
                throw new EnvironmentException(
                        "%s on %s cannot be removed".formatted(folder, target),
                        error,
                        "remove it there by hand");
            }
            String kilobytes = link.fact("kilobytes");
            return kilobytes.isEmpty()
                    ? "there was no copy in %s on %s".formatted(folder, target)
                    : "removed %s on %s (%s copies, %,d MB)"
                            .formatted(
                                    folder,
                                    target,
                                    link.fact("copies").strip(),
                                    Long.parseLong(kilobytes) >> 10);
        }
    }

    /// The same for copies that other hosts made on this one, for this user.
    public static String removeHere() {
        Path folder = folder();
        if (!Files.isDirectory(folder)) {
            return "there was no copy in " + folder;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.delete(path);
            }
            return "removed " + folder;
        } catch (IOException e) {
            throw new EnvironmentException(
                    folder + " cannot be removed",
                    String.valueOf(e.getMessage()),
                    "remove it by hand");
        }
    }

    private static Path folder() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path base =
                cache == null || cache.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".cache")
                        : Path.of(cache);
        return base.resolve("wallfinder/agents");
    }
}
