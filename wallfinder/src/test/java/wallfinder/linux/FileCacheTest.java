package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCacheTest {
    private static final int BYTES = 5_000_000;

    @TempDir private Path folder;

    @Test
    void a_file_that_was_just_written_is_dropped_and_comes_back_when_it_is_read() throws Exception {
        Assumptions.assumeFalse(
                Files.getFileStore(folder).type().equals("tmpfs"), "tmpfs is nothing but memory");
        Path file = Files.write(folder.resolve("file"), new byte[BYTES]);
        assertThat(FileCache.cachedBytes(file)).isGreaterThanOrEqualTo(BYTES);

        FileCache.drop(file);

        assertThat(FileCache.cachedBytes(file)).isZero();
        assertThat(Files.readAllBytes(file)).hasSize(BYTES);
        assertThat(FileCache.cachedBytes(file)).isGreaterThanOrEqualTo(BYTES);
    }

    @Test
    void of_an_empty_file_nothing_is_cached() throws Exception {
        Path file = Files.createFile(folder.resolve("empty"));
        FileCache.drop(file);
        assertThat(FileCache.cachedBytes(file)).isZero();
    }
}
