package wallfinder.remote;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedSet;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import wallfinder.linux.EnvironmentException;

/// Files of this program that are copied to another host. The program itself is a folder that runs
/// there: its scripts, its modules, and a Java. That of a package is its own folder. A clone makes
/// one with `bin/package agent`, and keeps it until the next build.
public final class ProgramFolder {
    /// If this file has arrived, all have. A program that runs from a copy has a lock on it.
    static final String LAST_PART = "lib/build";

    private static final List<String> PARTS =
            List.of("bin/wallfinder", "lib/start.sh", "lib/modules", "lib/runtime", LAST_PART);

    /// Linking takes half a minute on a slow machine.
    private static final Duration LINK_MAX = Duration.ofMinutes(10);

    private static final Duration PACK_END_MAX = Duration.ofSeconds(10);
    private static final int CHECKSUM_DIGITS = 32;
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path root;
    private final List<String> parts;
    private final String checksum;

    private ProgramFolder(Path root, List<String> parts) {
        this.root = root;
        this.parts = parts;
        this.checksum = checksum(root, parts);
    }

    /// @param home where this program is installed
    /// @throws EnvironmentException if a clone cannot make the folder
    public static ProgramFolder of(Path home) {
        boolean installed = Files.isDirectory(home.resolve("lib/runtime"));
        return new ProgramFolder(installed ? home : made(home), PARTS);
    }

    /// Files that the services of an experiment use, such as the jar of a study.
    ///
    /// @param home where this program is installed
    /// @param names of files below it; at least one
    public static ProgramFolder ofFiles(Path home, SortedSet<String> names) {
        return new ProgramFolder(home, List.copyOf(names));
    }

    /// If this file has arrived, all have.
    String lastPart() {
        return parts.getLast();
    }

    private static Path made(Path home) {
        Path log = home.resolve("wallfinder/target/agent.log");
        Path script = home.resolve("bin/package");
        try {
            Process process =
                    new ProcessBuilder(script.toString(), "agent")
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .redirectInput(new File("/dev/null"))
                            .start();
            Integer code = SshLink.await(process, LINK_MAX);
            if (code == null) {
                process.destroyForcibly();
            } else if (code == 0) {
                return home.resolve("wallfinder/target/agent");
            }
            throw unmade("bin/package agent failed; its output is in " + log);
        } catch (IOException e) {
            throw unmade(String.valueOf(e.getMessage()));
        }
    }

    private static EnvironmentException unmade(String why) {
        return new EnvironmentException(
                "no copy of Wallfinder for the other host can be made",
                why,
                "run bin/package agent and see what it prints");
    }

    /// Names this content: two folders with the same files have the same.
    public String checksum() {
        return checksum;
    }

    private static String checksum(Path root, List<String> parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : parts) {
                for (Path file : files(root.resolve(part))) {
                    add(root, file, digest);
                }
            }
            return HexFormat.of().formatHex(digest.digest()).substring(0, CHECKSUM_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each JDK has it
        } catch (IOException e) {
            throw new EnvironmentException(
                    "Wallfinder's own files cannot be read", e.toString(), "install it again");
        }
    }

    private static List<Path> files(Path part) throws IOException {
        try (Stream<Path> all = Files.walk(part)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void add(Path root, Path file, MessageDigest digest) throws IOException {
        String line =
                "%s %d %b\n"
                        .formatted(
                                root.relativize(file), Files.size(file), Files.isExecutable(file));
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            byte[] buffer = new byte[BUFFER_BYTES];
            while (in.read(buffer) >= 0) {
                // The digest has seen it.
            }
        }
    }

    /// Writes the folder as an archive that `gzip` and `tar` unpack.
    ///
    /// @throws EnvironmentException if this host cannot pack it
    void archiveTo(OutputStream out) throws IOException {
        List<String> words = new ArrayList<>(List.of("tar", "-cf", "-", "-C", root.toString()));
        words.addAll(parts);
        Process tar =
                new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (InputStream in = tar.getInputStream();
                OutputStream packed = new Quick(out)) {
            in.transferTo(packed);
            Integer code = SshLink.await(tar, PACK_END_MAX);
            if (code == null || code != 0) {
                throw new EnvironmentException(
                        "Wallfinder cannot be packed for the other host",
                        "tar ended with " + code,
                        "see whether tar -cf - %s works".formatted(root));
            }
        } finally {
            tar.destroyForcibly();
        }
    }

    /// Most of the content is compressed already.
    private static final class Quick extends GZIPOutputStream {
        Quick(OutputStream out) throws IOException {
            super(out, BUFFER_BYTES);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
