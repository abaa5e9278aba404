package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// A file of the kernel about this process. It stays open, so that it can be read when descriptors
/// have run out.
final class OwnFile implements AutoCloseable {
    private static final int BYTES_MAX = 1_024;

    private final FileChannel file;

    OwnFile(Path path) {
        try {
            file = FileChannel.open(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What it contains now.
    String text() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES_MAX);
        file.read(bytes, 0);
        return StandardCharsets.ISO_8859_1.decode(bytes.flip()).toString();
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
