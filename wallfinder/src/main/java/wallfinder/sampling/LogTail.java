package wallfinder.sampling;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the new lines of a log that another process writes and rotates.
final class LogTail implements AutoCloseable {
    /// More than the writer keeps before it rotates.
    private static final int BYTES_MAX = 8 << 20;

    private final TargetFolder folder;
    private final String name;
    private @Nullable SeekableByteChannel file;
    private @Nullable Object key;
    private String rest = "";

    LogTail(TargetFolder folder, String name) {
        this.folder = folder;
        this.name = name;
    }

    /// The complete lines since the last call. If the log is rotated twice between two calls, the
    /// lines of the file between are lost.
    List<String> lines() {
        StringBuilder text = new StringBuilder(rest);
        try {
            read(text);
            if (rotated()) {
                read(text);
            }
        } catch (IOException e) {
            // The file does not exist yet, or does not while it is rotated.
        }
        int end = text.lastIndexOf("\n") + 1;
        rest = text.substring(end);
        return text.substring(0, end).lines().toList();
    }

    /// Only names of threads may have other characters than those of ASCII.
    private void read(StringBuilder to) throws IOException {
        SeekableByteChannel open = file;
        if (open == null) {
            return;
        }
        long left = open.size() - open.position();
        ByteBuffer bytes = ByteBuffer.allocate(Math.clamp(left, 0, BYTES_MAX));
        while (bytes.hasRemaining() && open.read(bytes) >= 0) {
            // until all is read
        }
        to.append(StandardCharsets.US_ASCII.decode(bytes.flip()));
    }

    /// Opens the file that has this name now, if it is another one.
    private boolean rotated() throws IOException {
        Object now = folder.key(name);
        if (now.equals(key)) {
            return false;
        }
        close();
        file = folder.open(name);
        key = now;
        return true;
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            throw new AssertionError("cannot close a file that was only read", e);
        }
    }
}
