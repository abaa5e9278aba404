package wallfinder.load;

import java.util.Arrays;
import wallfinder.linux.Memory;

/// The cookies of one connection slot: names and values from the latest answers. Domain, path and
/// expiry are ignored, `Max-Age=0` removes a cookie. Cookies that do not fit are dropped.
final class Cookies {
    /// Bounds all names and values together, and the one that is being read.
    static final int BYTES_MAX = 4096;

    private static final byte[] HEADER = {'C', 'o', 'o', 'k', 'i', 'e', ':', ' '};
    private static final byte[] MAX_AGE = {'m', 'a', 'x', '-', 'a', 'g', 'e', '='};

    /// The header line including its end.
    static final int HEADER_BYTES_MAX = HEADER.length + BYTES_MAX + 2;

    /// The cookies as they are sent (`a=1; b=2`), followed by the one that is being read.
    private final byte[] bytes = new byte[2 * BYTES_MAX];

    private int kept;
    private int end;
    private int nameEnd;
    private int matched;
    private boolean inAttributes;
    private boolean usable;
    private boolean removes;

    void begin() {
        end = kept;
        nameEnd = -1;
        matched = 0;
        inAttributes = false;
        usable = true;
        removes = false;
    }

    /// Reads a byte of the line, including the line feed.
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

    /// Skips spaces before a name. Only the first character of the value matters: a `0` or a minus
    /// sign removes the cookie.
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

    /// Removes the cookie of the same name. The new one, behind all others, moves with them.
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

    /// The position after the `; ` that ends a cookie.
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
    /// @return where the line ends
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
