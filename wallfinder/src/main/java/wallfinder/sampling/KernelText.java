package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import wallfinder.linux.KernelRead;

/// The text of a kernel file and a position in it. It reuses its buffer, and reads numbers without
/// creating strings.
final class KernelText {
    static final int BYTES_MAX = 1 << 20;

    /// The kernel returns about a page per read, as long as the next line fits. A read that returns
    /// less than this has therefore returned the end of the file, and no further read is needed.
    private static final int WHOLE_BYTES_MAX = 2_048;

    private static final int BYTES_FIRST = 1 << 10;

    private static final byte[] HEX_PREFIX = {'0', 'x'};

    private byte[] bytes = new byte[BYTES_FIRST];
    private int length;
    private int at;

    /// The bytes of a key, for [#skip], [#seek] and [#valueOf].
    static byte[] key(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /// Reads the whole file from its start, which makes the kernel write it anew; false if it
    /// cannot be read, for example because its process has ended.
    ///
    /// @param descriptor an open file
    boolean load(int descriptor) {
        length = 0;
        at = 0;
        while (length < BYTES_MAX) {
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
            int room = bytes.length - length;
            int got = KernelRead.read(descriptor, length, bytes, length);
            if (got < 0) {
                length = 0;
                return false;
            }
            length += got;
            if (got == 0 || (got < room && got < WHOLE_BYTES_MAX)) {
                return true;
            }
        }
        return true;
    }

    /// Opens and reads a file once; false if it cannot be opened or read.
    boolean loadOnce(String path) {
        int descriptor = KernelRead.open(path);
        if (descriptor < 0) {
            length = 0;
            at = 0;
            return false;
        }
        try {
            return load(descriptor);
        } finally {
            KernelRead.close(descriptor);
        }
    }

    boolean atEnd() {
        return at >= length;
    }

    void rewind() {
        at = 0;
    }

    void nextLine() {
        while (at < length && bytes[at] != '\n') {
            at++;
        }
        at = Math.min(length, at + 1);
    }

    boolean lineEnds() {
        skipBlanks();
        return at >= length || bytes[at] == '\n';
    }

    /// Skips the expected bytes, if the text continues with them, and returns whether it does.
    boolean skip(byte[] expected) {
        int end = at + expected.length;
        if (end > length || !Arrays.equals(bytes, at, end, expected, 0, expected.length)) {
            return false;
        }
        at = end;
        return true;
    }

    /// Moves past this key in the next line that starts with it; false if there is no such line.
    boolean seek(byte[] key) {
        for (; !atEnd(); nextLine()) {
            if (skip(key)) {
                return true;
            }
        }
        return false;
    }

    /// Moves past the last occurrence of this byte in the text, or to the end of the text.
    void skipPastLast(char wanted) {
        int last = length - 1;
        while (last >= 0 && bytes[last] != wanted) {
            last--;
        }
        at = last < 0 ? length : last + 1;
    }

    void skipWord() {
        skipBlanks();
        while (at < length && !isBlank(bytes[at]) && bytes[at] != '\n') {
            at++;
        }
    }

    void skipWords(int count) {
        for (int i = 0; i < count; i++) {
            skipWord();
        }
    }

    /// The next word of this line, empty at its end.
    String word() {
        skipBlanks();
        int start = at;
        skipWord();
        return new String(bytes, start, at - start, StandardCharsets.US_ASCII);
    }

    /// The next number of this line, exact up to 2^53; `NaN` if there is none.
    double number() {
        skipBlanks();
        boolean negative = at < length && bytes[at] == '-';
        int start = negative ? ++at : at;
        double value = 0;
        while (at < length && bytes[at] >= '0' && bytes[at] <= '9') {
            value = value * 10 + (bytes[at++] - '0');
        }
        if (at == start) {
            return Double.NaN;
        }
        return negative ? -value : value;
    }

    /// The next number of this line, written in base 16, with or without `0x`; `NaN` if there is
    /// none.
    double hex() {
        skipBlanks();
        skip(HEX_PREFIX);
        int start = at;
        long value = 0;
        for (int digit = hexDigit(); digit >= 0; digit = hexDigit()) {
            value = (value << 4) + digit;
            at++;
        }
        return at == start ? Double.NaN : value;
    }

    /// The digit here; negative if there is none. The kernel writes small letters in most files,
    /// and capital ones in some.
    private int hexDigit() {
        int here = at < length ? bytes[at] : 0;
        if (here >= '0' && here <= '9') {
            return here - '0';
        }
        int small = here | 0x20;
        return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
    }

    /// The number after this key at the start of a line; `NaN` if there is no such line.
    double valueOf(byte[] key) {
        for (rewind(); !atEnd(); nextLine()) {
            if (skip(key) && at < length && bytes[at] == ' ') {
                return number();
            }
        }
        return Double.NaN;
    }

    String line() {
        return new String(restOfLine(), StandardCharsets.US_ASCII);
    }

    /// A copy of the rest of the line, without its end.
    byte[] restOfLine() {
        int start = at;
        nextLine();
        int end = at > start && bytes[at - 1] == '\n' ? at - 1 : at;
        return Arrays.copyOfRange(bytes, start, end);
    }

    private void skipBlanks() {
        while (at < length && isBlank(bytes[at])) {
            at++;
        }
    }

    private static boolean isBlank(byte value) {
        return value == ' ' || value == '\t';
    }
}
