package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The figures that a HotSpot JVM publishes in `/tmp/hsperfdata_USER/PID`, a file in shared memory
/// (src/hotspot/share/runtime/perfMemory.hpp). Reading it needs no work of the JVM, so it works
/// when the JVM has no free descriptor or is stopped.
///
/// Keeps whole numbers and texts. A JVM with `-XX:-UsePerfData` has no such file.
final class PerfData implements AutoCloseable {
    /// It reads at most this many bytes; the usual file has 32 KiB.
    private static final int BYTES_MAX = 1 << 20;

    private static final int MAGIC = 0xcafec0c0;
    private static final int HEADER_BYTES = 32;
    private static final int ENTRY_BYTES = 20;
    private static final byte LONG = 'J';
    private static final byte BYTE = 'B';

    private final RandomAccessFile file;
    private final Map<String, Integer> offsets = new HashMap<>();
    private final Map<String, Integer> texts = new HashMap<>();
    private byte[] bytes = new byte[0];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private int entriesKnown;

    private PerfData(RandomAccessFile file) {
        this.file = file;
    }

    /// Opens the file of a process, which may be in a container; null if there is no readable file.
    static @Nullable PerfData open(int pid) {
        File tmp = Path.of("/proc", Integer.toString(pid), "root", "tmp").toFile();
        int own = PidNamespace.ownPid(pid);
        for (String name : ProcessTree.names(tmp)) {
            File file = new File(tmp, name + "/" + own);
            if (name.startsWith("hsperfdata_") && file.isFile()) {
                PerfData found = open(file);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static @Nullable PerfData open(File file) {
        try {
            PerfData data = new PerfData(new RandomAccessFile(file, "r"));
            if (data.read()) {
                return data;
            }
            data.close();
            return null;
        } catch (IOException e) {
            return null; // this user may not read it, or the process has ended
        }
    }

    /// Reads the file again; false if it cannot be read or is incomplete.
    boolean read() {
        try {
            int length = (int) Math.min(BYTES_MAX, file.length());
            if (length < HEADER_BYTES) {
                return false;
            }
            if (length != bytes.length) {
                bytes = new byte[length];
                buffer = ByteBuffer.wrap(bytes);
            }
            file.seek(0);
            file.readFully(bytes);
            return index();
        } catch (IOException e) {
            return false;
        }
    }

    /// Finds new entries. A JVM only appends entries.
    private boolean index() {
        if (buffer.order(ByteOrder.BIG_ENDIAN).getInt(0) != MAGIC) {
            return false; // only the magic number is big-endian on every machine
        }
        buffer.order(bytes[4] == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        int at = buffer.getInt(24);
        int entries = buffer.getInt(28);
        if (entries == entriesKnown) {
            return true;
        }
        for (int i = 0; i < entries && at > 0 && at + ENTRY_BYTES <= bytes.length; i++) {
            int length = buffer.getInt(at);
            if (length <= 0) {
                break;
            }
            boolean array = buffer.getInt(at + 8) != 0;
            int value = at + buffer.getInt(at + 16);
            boolean number = !array && bytes[at + 12] == LONG;
            if (number && value >= 0 && value + Long.BYTES <= bytes.length) {
                offsets.put(text(at + buffer.getInt(at + 4)), value);
            } else if (array && bytes[at + 12] == BYTE && value >= 0) {
                texts.put(text(at + buffer.getInt(at + 4)), value);
            }
            at += length;
        }
        entriesKnown = entries;
        return true;
    }

    private String text(int from) {
        int end = from;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.US_ASCII);
    }

    /// A number from the last reading; `NaN` if this JVM does not publish it.
    double number(String name) {
        Integer offset = offsets.get(name);
        return offset == null ? Double.NaN : buffer.getLong(offset);
    }

    /// A text from the last reading; empty if this JVM does not publish it.
    String text(String name) {
        Integer offset = texts.get(name);
        return offset == null ? "" : text(offset.intValue());
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new AssertionError("cannot close a file that was only read", e);
        }
    }
}
