package wallfinder.lab.agent;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import wallfinder.load.LoadProgress;

/// Histograms of times in HdrHistogram's V2 encoding, which has every count of every bucket. So
/// merged histograms equal one that recorded all values.
final class Histograms {
    /// `V2EncodingCookieBase` with the size of its words, as `encodeIntoByteBuffer` writes it.
    private static final int COOKIE = 0x1c849303 | 0x10;

    /// Cookie, length of the counts, offset, digits, lowest and highest value, ratio.
    private static final int HEADER_BYTES = 4 * 4 + 3 * 8;

    private static final int DIGITS_MIN = 2;
    private static final int DIGITS_MAX = 3;

    /// More than a year of requests at 10 million a second.
    private static final long COUNT_MAX = 1L << 50;

    private Histograms() {}

    static Histogram empty() {
        return new Histogram(LoadProgress.NANOS_MAX, DIGITS_MAX);
    }

    static byte[] bytes(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoByteBuffer(buffer);
        return Arrays.copyOf(buffer.array(), length);
    }

    /// @throws IllegalArgumentException if it is not one of the engine's histograms
    static Histogram read(byte[] bytes) {
        check(bytes);
        try {
            Histogram read = Histogram.decodeFromByteBuffer(ByteBuffer.wrap(bytes), 0);
            Histogram checked = new Histogram(LoadProgress.NANOS_MAX, digits(bytes));
            checked.add(read);
            if (checked.getTotalCount() < 0 || checked.getTotalCount() > COUNT_MAX) {
                throw new IllegalArgumentException("a histogram with an impossible count");
            }
            return checked;
        } catch (RuntimeException e) {
            // The decoder trusts the counts, so any of its checks may fail.
            throw new IllegalArgumentException("a histogram that cannot be read: " + e, e);
        }
    }

    /// The decoder takes as much memory as the header says.
    private static void check(byte[] bytes) {
        if (bytes.length < HEADER_BYTES) {
            throw new IllegalArgumentException("a histogram without its header");
        }
        ByteBuffer header = ByteBuffer.wrap(bytes);
        boolean known =
                header.getInt() == COOKIE
                        && header.getInt() == bytes.length - HEADER_BYTES
                        && header.getInt() == 0
                        && header.getInt() >= DIGITS_MIN
                        && digits(bytes) <= DIGITS_MAX
                        && header.getLong() == 1
                        && header.getLong() == LoadProgress.NANOS_MAX
                        && header.getDouble() == 1.0;
        if (!known) {
            throw new IllegalArgumentException("a histogram of another kind");
        }
    }

    private static int digits(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getInt(12);
    }
}
