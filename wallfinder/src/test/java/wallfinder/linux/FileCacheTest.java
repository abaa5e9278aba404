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
    void a_written_file_leaves_the_cache_when_dropped_and_returns_when_read() throws Exception {
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
    void an_empty_file_has_no_cached_bytes() throws Exception {
        Path file = Files.createFile(folder.resolve("empty"));
        FileCache.drop(file);
        assertThat(FileCache.cachedBytes(file)).isZero();
    }
}
