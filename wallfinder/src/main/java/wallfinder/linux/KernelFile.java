package wallfinder.linux;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// Files of `/proc`, `/sys` and the cgroups. The kernel writes them while they are read, and their
/// size is zero. [Files#readString] therefore stops after the first byte of a numeric sysctl.
public final class KernelFile {
    private KernelFile() {}

    /// The whole file without leading and trailing white space.
    public static String read(Path path) throws IOException {
        try (FileInputStream in = new FileInputStream(path.toFile())) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    public static List<String> lines(Path path) throws IOException {
        return read(path).lines().toList();
    }

    /// Writes to an existing file in one write.
    public static void write(Path path, String text) throws IOException {
        Files.writeString(path, text, StandardOpenOption.WRITE);
    }
}
