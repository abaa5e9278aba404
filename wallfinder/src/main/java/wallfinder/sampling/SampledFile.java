package wallfinder.sampling;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A file of the kernel that is kept open and read again and again.
///
/// An open file of `/proc/net` stays with the network namespace it was opened in, and an open file
/// of a process with that process: a reused process number is never taken for it. Not a channel,
/// because an interrupted thread would close that.
final class SampledFile implements AutoCloseable {
    private final KernelText text = new KernelText();
    private @Nullable RandomAccessFile file;

    SampledFile(Path path) {
        this(open(path));
    }

    private SampledFile(@Nullable RandomAccessFile file) {
        this.file = file;
    }

    /// One that is not there.
    static SampledFile missing() {
        return new SampledFile((RandomAccessFile) null);
    }

    private static @Nullable RandomAccessFile open(Path path) {
        try {
            return new RandomAccessFile(path.toFile(), "r");
        } catch (IOException e) {
            return null; // it is not there: what it would tell cannot be read
        }
    }

    /// What was read last.
    KernelText text() {
        return text;
    }

    /// Reads it anew.
    ///
    /// @return false if it is not there or no more
    boolean read() {
        RandomAccessFile open = file;
        if (open == null) {
            return false;
        }
        try {
            text.load(open);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        RandomAccessFile open = file;
        file = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            throw new AssertionError("closing a file that was only read", e);
        }
    }
}
