package wallfinder.load;

import wallfinder.linux.Memory;

final class LineFeed {
    private static final long ONES = 0x0101010101010101L;
    private static final long LINE_FEEDS = 0x0A * ONES;

    private LineFeed() {}

    /// Reads eight bytes at a time: a byte of the difference is zero at a line feed. All supported
    /// processors are little-endian, so the first byte in memory is the lowest one.
    ///
    /// @return address of the line feed, or `end`
    static long find(long from, long end) {
        long at = from;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long difference = Memory.getLong(at) ^ LINE_FEEDS;
            long zeros = (difference - ONES) & ~difference & (ONES << 7);
            if (zeros != 0) {
                return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
            }
        }
        while (at < end && Memory.getByte(at) != '\n') {
            at++;
        }
        return at;
    }
}
