package wallfinder;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The project's own files: those that git tracks or would track. Without git, all files except the
/// output of builds and runs.
public final class Tree {
    public static final Path ROOT =
            Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();

    private static final Set<String> LEFT_BY_BUILDS_AND_RUNS =
            Set.of(".git", ".idea", "node_modules", "runs", "target");

    private Tree() {}

    static List<Path> files() {
        List<Path> tracked = tracked();
        return tracked.isEmpty() ? walked() : tracked;
    }

    static List<Path> files(String folder, String end) {
        Path from = ROOT.resolve(folder);
        return files().stream()
                .filter(file -> file.startsWith(from) && file.toString().endsWith(end))
                .toList();
    }

    static List<Path> javaFiles() {
        return files("", ".java");
    }

    static List<String> folders(String folder) {
        try (Stream<Path> listed = Files.list(ROOT.resolve(folder))) {
            return listed.filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /// The lines of a text file; empty if the file is not a text.
    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (MalformedInputException noText) {
            return List.of();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static String shown(Path file) {
        return ROOT.relativize(file).toString();
    }

    private static List<Path> tracked() {
        try {
            Process git =
                    new ProcessBuilder(
                                    "git",
                                    "ls-files",
                                    "-z",
                                    "--cached",
                                    "--others",
                                    "--exclude-standard")
                            .directory(ROOT.toFile())
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String listed = new String(git.getInputStream().readAllBytes(), UTF_8);
            return Stream.of(listed.split("\0"))
                    .filter(name -> !name.isEmpty())
                    .map(ROOT::resolve)
                    .filter(Files::isRegularFile)
                    .toList();
        } catch (IOException noGit) {
            return List.of();
        }
    }

    private static List<Path> walked() {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(
                    ROOT,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(
                                Path folder, BasicFileAttributes attributes) {
                            return LEFT_BY_BUILDS_AND_RUNS.contains(folder.getFileName().toString())
                                    ? FileVisitResult.SKIP_SUBTREE
                                    : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(
                                Path file, BasicFileAttributes attributes) {
                            files.add(file);
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return files;
    }
}
