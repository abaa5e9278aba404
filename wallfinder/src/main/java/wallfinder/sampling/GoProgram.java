package wallfinder.sampling;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// Recognizes a program of the Go compiler by the note with its build id, which Go's linker puts
/// into the first page of the file.
final class GoProgram {
    private static final int PAGE_BYTES = 4_096;

    /// The type of the note, 4, and the name of its owner.
    private static final String NOTE = "\4\0\0\0Go\0\0";

    private GoProgram() {}

    /// False if the file cannot be read.
    static boolean is(int pid) {
        try (InputStream file = Files.newInputStream(Path.of("/proc/" + pid + "/exe"))) {
            return new String(file.readNBytes(PAGE_BYTES), ISO_8859_1).contains(NOTE);
        } catch (IOException e) {
            return false;
        }
    }
}
