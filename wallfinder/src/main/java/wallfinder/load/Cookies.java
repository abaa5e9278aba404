package wallfinder.load;

import java.util.Arrays;
import wallfinder.linux.Memory;

/// The cookies of one connection, and of those that take its place: names and values as the last
/// answers set them. Domain, path and expiry are not looked at; `Max-Age=0` removes. What does not
/// fit is not kept.
final class Cookies {
    /// Bounds all names and values together, and the one that is being read.
    static final int BYTES_MAX = 4096;

    private static final byte[] HEADER = {'C', 'o', 'o', 'k', 'i', 'e', ':', ' '};
    private static final byte[] MAX_AGE = {'m', 'a', 'x', '-', 'a', 'g', 'e', '='};

    /// The header line with its end.
    static final int HEADER_BYTES_MAX = HEADER.length + BYTES_MAX + 2;

    /// As they are sent, with the one that is being read behind: `a=1; b=2`.
    private final byte[] bytes = new byte[2 * BYTES_MAX];

    private int kept;
    private int end;
    private int nameEnd;
    private int matched;
    private boolean inAttributes;
    private boolean usable;
    private boolean removes;

    /// A header line begins.
    void begin() {
        end = kept;
        nameEnd = -1;
        matched = 0;
        inAttributes = false;
        usable = true;
        removes = false;
    }

    /// A byte of the line, its line feed included.
    void read(int c) {
        if (c == '\n') {
            endLine();
        } else if (inAttributes) {
            readAttribute(c);
        } else if (c == ';') {
            inAttributes = true;
        } else if (c != '\r' && !(end == kept && (c == ' ' || c == '\t'))) {
            append(c);
        }
    }

    private void append(int c) {
        boolean fits = end - kept < BYTES_MAX && (c & 0xff) >= ' ' && c != 0x7f;
        usable &= fits;
        if (fits) {
            if (c == '=' && nameEnd < 0) {
                nameEnd = end;
            }
            bytes[end++] = (byte) c;
        }
    }

    /// Spaces before a name do not count; the value is judged by its first letter: 0 and all that
    /// is below it remove.
    private void readAttribute(int c) {
        if (c == ';') {
            matched = 0;
        } else if (matched == MAX_AGE.length) {
            removes = c == '0' || c == '-';
            matched = -1;
        } else if (matched >= 0 && !(matched == 0 && c == ' ')) {
            int lower = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
            matched = lower == MAX_AGE[matched] ? matched + 1 : -1;
        }
    }

    private void endLine() {
        while (end > kept && (bytes[end - 1] == ' ' || bytes[end - 1] == '\t')) {
            end--;
        }
        if (!usable || nameEnd <= kept || nameEnd >= end) {
            return;
        }
        remove();
        if (!removes) {
            add();
        }
    }

    /// Takes out the one of the same name. The new one, behind all, moves with the rest.
    private void remove() {
        int nameBytes = nameEnd - kept + 1;
        for (int from = 0; from < kept; from = next(from)) {
            if (Arrays.equals(bytes, from, from + nameBytes, bytes, kept, kept + nameBytes)) {
                int gone = next(from) - from;
                System.arraycopy(bytes, from + gone, bytes, from, end - from - gone);
                kept -= gone;
                end -= gone;
                return;
            }
        }
    }

    /// Behind the `; ` that ends each of them.
    private int next(int from) {
        int at = from;
        while (bytes[at] != ';') {
            at++;
        }
        return at + 2;
    }

    private void add() {
        if (end + 2 <= BYTES_MAX) {
            bytes[end] = ';';
            bytes[end + 1] = ' ';
            kept = end + 2;
        }
    }

    /// Writes the header line, or nothing if there is no cookie.
    ///
    /// @return where it ends
    long write(long at) {
        if (kept == 0) {
            return at;
        }
        int length = kept - 2;
        Memory.putBytes(at, HEADER, HEADER.length);
        Memory.putBytes(at + HEADER.length, bytes, length);
        long lineEnd = at + HEADER.length + length;
        Memory.putByte(lineEnd, (byte) '\r');
        Memory.putByte(lineEnd + 1, (byte) '\n');
        return lineEnd + 2;
    }
}
