package wallfinder.load;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Expectation;
import wallfinder.linux.Memory;

/// Looks for a text in bodies that come in pieces, wherever they are cut. It keeps one number of a
/// body: how many bytes of the text the last bytes read have matched (Knuth, Morris and Pratt).
final class BodyText {
    private final byte[] text;

    /// How much is still matched where the next byte is not the text's.
    private final int[] fallback;

    BodyText(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
        fallback = fallback(this.text);
    }

    /// Null if any body will do.
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
    /// @param matched what this told of the piece before; zero for the first
    /// @return what is matched now; once that is the whole text, it stays
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

    /// Whether the text has come.
    boolean found(int matched) {
        return matched == text.length;
    }
}
