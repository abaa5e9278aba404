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

/// What a HotSpot JVM writes down about itself: `/tmp/hsperfdata_USER/PID`, a file in shared memory
/// (src/hotspot/share/runtime/perfMemory.hpp). It is read from outside, and the JVM does nothing
/// for it: that works when the JVM has no descriptor left, and when it is stopped.
///
/// Only whole numbers are kept. A JVM with `-XX:-UsePerfData` has no such file.
final class PerfData implements AutoCloseable {
    /// Files beyond this are cut there; the usual one has 32 KiB.
    private static final int BYTES_MAX = 1 << 20;

    private static final int MAGIC = 0xcafec0c0;
    private static final int HEADER_BYTES = 32;
    private static final int ENTRY_BYTES = 20;
    private static final byte LONG = 'J';

    private final RandomAccessFile file;
    private final Map<String, Integer> offsets = new HashMap<>();
    private byte[] bytes = new byte[0];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private int entriesKnown;

    private PerfData(RandomAccessFile file) {
        this.file = file;
    }

    /// The file of a process, which may be in a container, or null if there is none to read.
    static @Nullable PerfData open(int pid) {
        File tmp = Path.of("/proc", Integer.toString(pid), "root", "tmp").toFile();
        int own = ownPid(pid);
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
            return null; // not for us to read, or gone
        }
    }

    /// The number by which a process knows itself: the last of `NSpid` in its status.
    static int ownPid(int pid) {
        KernelText status = new KernelText();
        int own = pid;
        if (!status.loadOnce("/proc/" + pid + "/status")) {
            return own;
        }
        byte[] key = "NSpid:".getBytes(StandardCharsets.US_ASCII);
        for (; !status.atEnd(); status.nextLine()) {
            if (status.skip(key)) {
                while (!status.lineEnds()) {
                    own = (int) status.number();
                }
                return own;
            }
        }
        return own;
    }

    /// Reads it anew.
    ///
    /// @return false if it cannot be read, or is being made
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

    /// Entries are only ever added, behind the others.
    private boolean index() {
        if (buffer.order(ByteOrder.BIG_ENDIAN).getInt(0) != MAGIC) {
            return false; // the magic number alone is the same on every machine
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
            boolean number = buffer.getInt(at + 8) == 0 && bytes[at + 12] == LONG;
            int value = at + buffer.getInt(at + 16);
            if (number && value >= 0 && value + Long.BYTES <= bytes.length) {
                offsets.put(name(at + buffer.getInt(at + 4)), value);
            }
            at += length;
        }
        entriesKnown = entries;
        return true;
    }

    private String name(int from) {
        int end = from;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.US_ASCII);
    }

    /// A number as it was when the file was last read; `NaN` if this JVM does not tell it.
    double number(String name) {
        Integer offset = offsets.get(name);
        return offset == null ? Double.NaN : buffer.getLong(offset);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new AssertionError("closing a file that was only read", e);
        }
    }
}
