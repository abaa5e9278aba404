package wallfinder.load;

import wallfinder.linux.Memory;

/// The bytes of messages, computed from the numbers of the connection and the message, so that each
/// byte of an answer can be checked without storing anything. No two messages of 8 bytes or more in
/// a run are equal. Shorter ones are prefixes of such messages.
final class Payload implements AutoCloseable {
    private static final int WORD = Long.BYTES;

    private final long seed;
    private final int bytes;
    private final long memory;
    private final long memoryBytes;

    Payload(long seed, int bytes) {
        this.seed = seed;
        this.bytes = bytes;
        memoryBytes = (bytes + WORD - 1L) / WORD * WORD;
        memory = Memory.map(memoryBytes);
    }

    /// Writes a message.
    ///
    /// @param message its number in the whole run
    /// @return its address, valid until the next call
    long write(long message) {
        long key = seed ^ message;
        for (int at = 0; at < bytes; at += WORD) {
            Memory.putLong(memory + at, word(key, at));
        }
        return memory;
    }

    /// Compares a piece of an answer.
    ///
    /// @param from position of the piece in the answer
    /// @return position of the first wrong byte in the answer, or -1
    int wrong(long message, int from, long address, int count) {
        long key = seed ^ message;
        int end = from + count;
        for (int at = from; at < end; ) {
            boolean whole = (at & (WORD - 1)) == 0 && end - at >= WORD;
            long expected = word(key, at);
            if (whole && Memory.getLong(address + at - from) == expected) {
                at += WORD;
            } else if (Memory.getByte(address + at - from) != shifted(expected, at)) {
                return at;
            } else {
                at++;
            }
        }
        return -1;
    }

    byte expected(long message, int at) {
        return shifted(word(seed ^ message, at), at);
    }

    private static byte shifted(long word, int at) {
        return (byte) (word >>> (8 * (at & (WORD - 1))));
    }

    /// The eight bytes around a position; a bijection of the key.
    private static long word(long key, int at) {
        return SplitMix64.mix(key + (at / WORD + 1) * SplitMix64.GOLDEN);
    }

    @Override
    public void close() {
        Memory.unmap(memory, memoryBytes);
    }
}
