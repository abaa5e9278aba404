package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Writes files of the kernel for callers that need the error number of a failure. The exceptions
/// of [KernelFile#write] have only a text, in the language of the user.
public final class KernelWrite {
    private static final NativeFunction WRITE = NativeFunction.ofLong("write");

    private KernelWrite() {}

    /// Writes to an existing file in one write.
    ///
    /// @throws SyscallException EROFS if the file system is mounted read-only
    public static void write(Path path, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int descriptor = Syscall.open(path.toString(), Syscall.O_WRONLY);
        try (Arena arena = Arena.ofConfined()) {
            long address = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes).address();
            Syscall.check(
                    "write " + path,
                    WRITE.call(Syscall.errnoSegment(), descriptor, address, bytes.length));
        } finally {
            Syscall.closeQuietly(descriptor);
        }
    }
}
