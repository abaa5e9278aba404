package wallfinder.sampling;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.KernelRead;

/// A kernel file that stays open and is read repeatedly.
///
/// An open file of `/proc/net` stays with its network namespace, and an open file of a process
/// stays with its process, even if another process gets the same number.
final class SampledFile implements AutoCloseable {
    private static final int CLOSED = -1;

    private final KernelText text = new KernelText();
    private int descriptor;

    SampledFile(Path path) {
        this(path.toString());
    }

    SampledFile(String path) {
        this(KernelRead.open(path)); // a missing file is a missing figure, not an error
    }

    private SampledFile(int descriptor) {
        this.descriptor = descriptor;
    }

    /// The file of this name in a folder. Without a folder it cannot be read.
    static SampledFile in(@Nullable Path folder, String name) {
        return folder == null ? new SampledFile(CLOSED) : new SampledFile(folder.resolve(name));
    }

    /// The first number of a file; `NaN` if it cannot be read.
    static double numberIn(Path path) {
        try (SampledFile file = new SampledFile(path)) {
            return file.number();
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
        return descriptor >= 0 && text.load(descriptor);
    }

    @Override
    public void close() {
        int open = descriptor;
        descriptor = CLOSED;
        if (open >= 0) {
            KernelRead.close(open);
        }
    }
}
