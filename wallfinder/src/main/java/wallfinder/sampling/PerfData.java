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
import wallfinder.linux.RootedFolder;

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

    /// A JVM has about 300.
    private static final int ENTRIES_MAX = 4_000;

    private static final int TEXT_BYTES_MAX = 4_096;
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
        String own = Integer.toString(PidNamespace.ownPid(pid));
        try (RootedFolder tmp = RootedFolder.open(pid, "tmp")) {
            if (tmp == null) {
                return null;
            }
            for (String name : ProcessTree.names(tmp.path().toFile())) {
                Path file = name.startsWith("hsperfdata_") ? tmp.file(name + "/" + own) : null;
                PerfData found = file == null ? null : open(file.toFile());
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    static @Nullable PerfData open(File file) {
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
        int most = Math.min(entries, ENTRIES_MAX);
        for (int i = 0; i < most && isInside(at, 0, ENTRY_BYTES); i++) {
            int length = buffer.getInt(at);
            if (length < ENTRY_BYTES) {
                break;
            }
            boolean array = buffer.getInt(at + 8) != 0;
            int value = buffer.getInt(at + 16);
            String name =
                    isInside(at, buffer.getInt(at + 4), 1) ? text(at + buffer.getInt(at + 4)) : "";
            boolean number = !array && bytes[at + 12] == LONG;
            if (number && isInside(at, value, Long.BYTES)) {
                offsets.put(name, at + value);
            } else if (array && bytes[at + 12] == BYTE && isInside(at, value, 1)) {
                texts.put(name, at + value);
            }
            at = (int) Math.min(bytes.length, (long) at + length);
        }
        entriesKnown = entries;
        return true;
    }

    /// Whether so many bytes at an offset from a place are in the file. The file may be anybody's,
    /// so none of its numbers is trusted.
    private boolean isInside(int place, int offset, int length) {
        long from = (long) place + offset;
        return place > 0 && from >= 0 && from + length <= bytes.length;
    }

    private String text(int from) {
        int end = from;
        int last = Math.min(bytes.length, from + TEXT_BYTES_MAX);
        while (end < last && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.US_ASCII);
    }

    /// A number from the last reading; `NaN` if this JVM does not publish it.
    double number(String name) {
        Integer offset = offsets.get(name);
        return offset == null || !isInside(offset, 0, Long.BYTES)
                ? Double.NaN
                : buffer.getLong(offset);
    }

    /// A text from the last reading; empty if this JVM does not publish it.
    String text(String name) {
        Integer offset = texts.get(name);
        return offset == null || !isInside(offset, 0, 1) ? "" : text(offset.intValue());
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
