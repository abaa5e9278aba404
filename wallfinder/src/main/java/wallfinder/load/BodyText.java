package wallfinder.load;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Expectation;
import wallfinder.linux.Memory;

/// Looks for a text in bodies that arrive in pieces. The only state per body is the number of bytes
/// of the text that the last bytes have matched (Knuth, Morris and Pratt).
final class BodyText {
    private final byte[] text;

    /// How many bytes still match when the next byte does not.
    private final int[] fallback;

    BodyText(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
        fallback = fallback(this.text);
    }

    /// Null if any body is good.
    static @Nullable BodyText of(Expectation expect) {
        return expect.body() == null ? null : new BodyText(expect.body());
    }

    private static int[] fallback(byte[] text) {
        int[] fallback = new int[text.length];
        int matched = 0;
        for (int at = 1; at < text.length; at++) {
            while (matched > 0 && text[at] != text[matched]) {
                matched = fallback[matched - 1];
            }
            if (text[at] == text[matched]) {
                matched++;
            }
            fallback[at] = matched;
        }
        return fallback;
    }

    /// Reads a piece of a body.
    ///
    /// @param matched the result for the piece before, zero for the first piece
    /// @return how many bytes match now; a complete match stays complete
    int read(int matched, long from, long end) {
        int now = matched;
        for (long at = from; at < end && now < text.length; at++) {
            byte c = Memory.getByte(at);
            while (now > 0 && text[now] != c) {
                now = fallback[now - 1];
            }
            if (text[now] == c) {
                now++;
            }
        }
        return now;
    }

    boolean found(int matched) {
        return matched == text.length;
    }
}
