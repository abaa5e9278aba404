package wallfinder.linux;

/// The buffers that a ring receives into. The kernel takes them in order, [#giveBack] returns them.
final class BufferRing {
    static final int GROUP = 0;

    /// Buffers at the same page offset would compete for the same few cache lines, so each buffer
    /// starts some lines later.
    private static final int STAGGER_BYTES = 5 * 64;

    private final int count;
    private final int bufferBytes;
    private final long stride;
    private final long entriesBytes;
    private final long entries;
    private final long memoryBytes;
    private final long memory;
    private short tail;

    /// @param count a power of two, at most 32,768
    BufferRing(int count, int bufferBytes) {
        if (Integer.bitCount(count) != 1 || count > 1 << 15) {
            throw new IllegalArgumentException("bad number of buffers: " + count);
        }
        this.count = count;
        this.bufferBytes = bufferBytes;
        this.stride = (long) bufferBytes + STAGGER_BYTES;
        this.entriesBytes = (long) count * Layouts.BUF_SIZE;
        this.entries = Memory.map(entriesBytes);
        this.memoryBytes = count * stride;
        this.memory = Memory.map(memoryBytes);
    }

    long entriesAddress() {
        return entries;
    }

    int count() {
        return count;
    }

    void giveAll() {
        for (int id = 0; id < count; id++) {
            giveBack(id);
        }
        publish();
    }

    long address(int id) {
        return memory + id * stride;
    }

    /// Returns a buffer. The kernel sees it after [#publish].
    void giveBack(int id) {
        long entry = entries + (long) (tail & (count - 1)) * Layouts.BUF_SIZE;
        Memory.putLong(entry + Layouts.BUF_ADDR, address(id));
        Memory.putInt(entry + Layouts.BUF_LEN, bufferBytes);
        Memory.putShort(entry + Layouts.BUF_BID, (short) id);
        tail++;
    }

    void publish() {
        Memory.putShortRelease(entries + Layouts.BUF_RING_TAIL, tail);
    }

    void free() {
        Memory.unmap(entries, entriesBytes);
        Memory.unmap(memory, memoryBytes);
    }
}
