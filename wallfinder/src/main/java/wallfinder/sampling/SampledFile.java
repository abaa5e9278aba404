package wallfinder.sampling;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A kernel file that stays open and is read repeatedly.
///
/// An open file of `/proc/net` stays with its network namespace, and an open file of a process
/// stays with its process, even if another process gets the same number. It is not a channel,
/// because an interrupt closes a channel.
final class SampledFile implements AutoCloseable {
    private final KernelText text = new KernelText();
    private @Nullable RandomAccessFile file;

    SampledFile(Path path) {
        this(open(path));
    }

    private SampledFile(@Nullable RandomAccessFile file) {
        this.file = file;
    }

    /// The file of this name in a folder. Without a folder it cannot be read.
    static SampledFile in(@Nullable Path folder, String name) {
        return new SampledFile(folder == null ? null : open(folder.resolve(name)));
    }

    /// The first number of a file; `NaN` if it cannot be read.
    static double numberIn(Path path) {
        try (SampledFile file = new SampledFile(path)) {
            return file.number();
        }
    }

    private static @Nullable RandomAccessFile open(Path path) {
        try {
            return new RandomAccessFile(path.toFile(), "r");
        } catch (IOException e) {
            return null; // a missing file is a missing figure, not an error
        }
    }

    KernelText text() {
        return text;
    }

    /// Reads the file and returns its first number; `NaN` if it cannot be read.
    double number() {
        return read() ? text.number() : Double.NaN;
    }

    /// Reads the file and returns the number after a key; `NaN` if it cannot be read.
    double valueOf(byte[] key) {
        return read() ? text.valueOf(key) : Double.NaN;
    }

    /// Reads the file again; false if it does not exist or no longer exists.
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
            throw new AssertionError("cannot close a file that was only read", e);
        }
    }
}
