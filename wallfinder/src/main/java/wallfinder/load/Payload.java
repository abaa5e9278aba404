package wallfinder.load;

import wallfinder.linux.Memory;

/// What a message holds: numbers that follow from the connection and the number of its message, so
/// that nothing has to be kept to check an answer byte by byte. From 8 bytes on no two messages of
/// a run are the same; shorter ones are the first bytes of such.
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
    /// @return where it stands until the next one
    long write(long message) {
        long key = seed ^ message;
        for (int at = 0; at < bytes; at += WORD) {
            Memory.putLong(memory + at, word(key, at));
        }
        return memory;
    }

    /// Compares a piece of an answer.
    ///
    /// @param from the place of the piece in the answer
    /// @return the place of the first wrong byte in the answer, or -1
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

    /// The byte that stands at this place of an answer.
    byte expected(long message, int at) {
        return shifted(word(seed ^ message, at), at);
    }

    private static byte shifted(long word, int at) {
        return (byte) (word >>> (8 * (at & (WORD - 1))));
    }

    /// The eight bytes around this place; a bijection of the key.
    private static long word(long key, int at) {
        return SplitMix64.mix(key + (at / WORD + 1) * SplitMix64.GOLDEN);
    }

    @Override
    public void close() {
        Memory.unmap(memory, memoryBytes);
    }
}
