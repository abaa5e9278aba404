package wallfinder.lab.fit;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Placeholders;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.FileCache;
import wallfinder.linux.SyscallException;
import wallfinder.sandbox.Jvm;

/// Copies of a service's JVM and files in the run's folder. Dropping the copies from the page cache
/// affects no other process of the host. They are removed at the end.
final class ColdFiles implements AutoCloseable {
    private static final String FOLDER = "cold";

    /// Parts of a JDK that only builds need.
    private static final Set<String> NOT_RUN = Set.of("jmods", "src.zip");

    private final Path folder;
    private final Path home;

    /// The copies by their originals.
    private final Map<Path, Path> copies = new LinkedHashMap<>();

    ColdFiles(RunContext context) {
        this.folder = context.folder().resolve(FOLDER);
        this.home = context.home();
    }

    /// The experiment with the service started from the copies.
    ///
    /// @param texts the files' paths as the service's command or environment spells them
    Experiment applied(Experiment experiment, String service, List<String> texts) {
        ServiceSpec spec = experiment.service(service);
        String command = spec.command();
        Map<String, String> environment = new LinkedHashMap<>(spec.env());
        for (String text : texts) {
            String copy = copy(path(text)).toString();
            command = command.replace(text, copy);
            environment.replaceAll((name, value) -> value.replace(text, copy));
        }
        boolean java =
                Stream.concat(Stream.of(command), environment.values().stream())
                        .anyMatch(text -> text.contains("{jvm}"));
        String jvm = java ? copy(Jvm.of(spec.jvm()).home()).toString() : spec.jvm();
        return experiment.with(spec.with(command, jvm, environment));
    }

    /// @throws UsageException if a file is missing
    void check(List<String> texts) {
        for (String text : texts) {
            if (!Files.exists(path(text))) {
                throw new UsageException(
                        text + " cannot be copied for a cold start",
                        "there is no " + path(text),
                        "correct `cold`, or build it");
            }
        }
    }

    private Path path(String text) {
        return Path.of(Placeholders.fill(text, Map.of("home", home.toString()))).toAbsolutePath();
    }

    private Path copy(Path original) {
        Path known = copies.get(original);
        if (known != null) {
            return known;
        }
        Path copy = folder.resolve(copies.size() + "-" + original.getFileName());
        try {
            Files.createDirectories(folder);
            copyTree(original, copy);
        } catch (IOException e) {
            throw failed(original + " cannot be copied into the run's folder", e);
        }
        copies.put(original, copy);
        return copy;
    }

    /// Copies a file or folder, with the times that class archives compare. Follows links.
    private static void copyTree(Path from, Path to) throws IOException {
        Files.walkFileTree(
                from,
                Set.of(FileVisitOption.FOLLOW_LINKS),
                Integer.MAX_VALUE,
                new SimpleFileVisitor<Path>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes of)
                            throws IOException {
                        if (NOT_RUN.contains(String.valueOf(folder.getFileName()))) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        Files.createDirectories(there(folder));
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes of)
                            throws IOException {
                        boolean wanted = !NOT_RUN.contains(String.valueOf(file.getFileName()));
                        if (wanted && Files.exists(file)) {
                            Files.copy(file, there(file), StandardCopyOption.COPY_ATTRIBUTES);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    private Path there(Path path) {
                        return to.resolve(from.relativize(path).toString());
                    }
                });
    }

    /// Drops all copies from the page cache.
    ///
    /// @return the bytes that are still in the page cache
    long drop() {
        long left = 0;
        try {
            for (Path file : files()) {
                FileCache.drop(file);
                left += FileCache.cachedBytes(file);
            }
            return left;
        } catch (IOException | SyscallException e) {
            throw failed("the copies in " + folder + " cannot be dropped from the page cache", e);
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                all.filter(Files::isRegularFile)
                        .filter(file -> !Files.isSymbolicLink(file))
                        .forEach(files::add);
            }
        }
        return files;
    }

    private EnvironmentException failed(String what, Exception cause) {
        return new EnvironmentException(
                what,
                String.valueOf(cause.getMessage()),
                "choose a folder on a disk with space by --out, or leave `cold` out");
    }

    @Override
    public void close() {
        try (Stream<Path> all = Files.isDirectory(folder) ? Files.walk(folder) : Stream.of()) {
            for (Path path : all.toList().reversed()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // The copies stay in the run's folder.
        }
    }
}
