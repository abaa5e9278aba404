package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The kernel's setting for transparent huge pages.
public final class HugePages {
    private static final Path ENABLED = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    private HugePages() {}

    /// Whether a program gets them if it asks for them, and only then.
    public static boolean onRequest() {
        try {
            return Files.readString(ENABLED).contains("[madvise]");
        } catch (IOException e) {
            return false;
        }
    }
}
