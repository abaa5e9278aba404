package wallfinder.sandbox;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// Files that the kernel makes up while they are read. They tell a size of zero, at which
/// [Files#readString] stops after the first byte of a numeric sysctl.
final class KernelFile {
    private KernelFile() {}

    static String read(Path path) throws IOException {
        try (FileInputStream in = new FileInputStream(path.toFile())) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    static List<String> lines(Path path) throws IOException {
        return read(path).lines().toList();
    }

    /// Writes into a file that is there already, in one write.
    static void write(Path path, String text) throws IOException {
        Files.writeString(path, text, StandardOpenOption.WRITE);
    }
}
