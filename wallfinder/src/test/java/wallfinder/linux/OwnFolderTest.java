package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnFolderTest {
    @TempDir private Path parent;

    @Test
    void a_folder_is_private_and_goes_with_everything_in_it() throws Exception {
        Path path;
        try (OwnFolder folder = OwnFolder.make(parent, "own-")) {
            path = folder.path();
            Files.createDirectories(path.resolve("a/b"));
            Files.writeString(path.resolve("a/b/file"), "x");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
        }
        assertThat(path).doesNotExist();
    }

    /// Nobody has locked the folder of a killed process.
    @Test
    void the_folder_of_a_killed_process_is_removed_and_no_other_one() throws Exception {
        Path left = Files.createDirectories(parent.resolve("own-left/logs")).getParent();
        Files.createFile(left.resolve("lock"));
        Path begun = Files.createDirectory(parent.resolve("own-begun")); // not locked yet
        Path other = Files.createDirectory(parent.resolve("other-left"));
        Files.createFile(other.resolve("lock"));
        Path link = Files.createSymbolicLink(parent.resolve("own-link"), other);
        try (OwnFolder first = OwnFolder.make(parent, "own-");
                OwnFolder second = OwnFolder.make(parent, "own-")) {
            assertThat(left).doesNotExist();
            assertThat(first.path()).isNotEqualTo(second.path()).exists();
            assertThat(begun).exists();
            assertThat(other).exists();
            assertThat(link).exists();
        }
    }
}
