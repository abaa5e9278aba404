package wallfinder.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file mapped into memory, without a copy.
public record MappedFile(long address, long length) {
    /// Maps a file for as long as the arena lives. If the file shrinks meanwhile, a send from
    /// beyond its end fails with EFAULT.
    ///
    /// @throws EnvironmentException if the file cannot be read
    public static MappedFile read(Path path, Arena arena) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            long length = file.size();
            long address =
                    length == 0 ? 0 : file.map(MapMode.READ_ONLY, 0, length, arena).address();
            return new MappedFile(address, length);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "the file " + path + " cannot be read",
                    String.valueOf(e.getMessage()),
                    "check that it exists and that you may read it");
        }
    }
}
