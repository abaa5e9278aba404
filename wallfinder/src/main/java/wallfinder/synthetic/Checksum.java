package wallfinder.synthetic;

import wallfinder.linux.Memory;

/// The Internet checksum (RFC 1071). It sums little-endian pieces, and the result is in the byte
/// order of the packet.
final class Checksum {
    private static final long INT = 0xFFFFFFFFL;
    private static final int SHORT = 0xFFFF;
    private static final int BYTE = 0xFF;

    private Checksum() {}

    /// The unfolded sum of at most a packet's length, as if a zero followed an odd byte.
    static long sum(long address, int length) {
        long sum = 0;
        int at = 0;
        for (; at + Integer.BYTES <= length; at += Integer.BYTES) {
            sum += Memory.getInt(address + at) & INT;
        }
        if (at + Short.BYTES <= length) {
            sum += Memory.getShort(address + at) & SHORT;
            at += Short.BYTES;
        }
        return at < length ? sum + (Memory.getByte(address + at) & BYTE) : sum;
    }

    /// The sum of TCP's pseudo-header: addresses, protocol and length.
    ///
    /// @param addresses where both addresses are in the IP header
    static long pseudoHeader(long addresses, int protocol, int length) {
        return sum(addresses, 2 * Integer.BYTES)
                + (Short.reverseBytes((short) protocol) & SHORT)
                + (Short.reverseBytes((short) length) & SHORT);
    }

    /// The checksum to write. Zero if the sum includes a correct checksum.
    static short of(long sum) {
        long folded = (sum & INT) + (sum >>> Integer.SIZE);
        folded = (folded & SHORT) + (folded >>> Short.SIZE);
        folded = (folded & SHORT) + (folded >>> Short.SIZE);
        folded = (folded & SHORT) + (folded >>> Short.SIZE);
        return (short) ~folded;
    }
}
