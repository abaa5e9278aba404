package wallfinder.synthetic;

import wallfinder.linux.Memory;

/// Writes segments into IPv4 packets and sends them.
final class Outbound implements AutoCloseable {
    /// The receive window. Nothing waits on this side, so it is always the largest unscaled window.
    static final int WINDOW = 65_535;

    private static final int HEADER_BYTES = Segment.IP_BYTES + Segment.TCP_BYTES;
    private static final int HOPS = 64;
    private static final int DO_NOT_FRAGMENT = 0x4000;
    private static final int TCP = Segment.IP_BYTES;

    private final TcpPlan plan;
    private final Tuples tuples;
    private final Wire wire;
    private final TcpCounts counts;
    private final long packet;

    Outbound(TcpPlan plan, Wire wire, TcpCounts counts) {
        this.plan = plan;
        this.tuples = plan.tuples();
        this.wire = wire;
        this.counts = counts;
        packet = Memory.map(plan.linkBytes());
        Memory.putByte(packet, (byte) (4 << 4 | Segment.IP_BYTES / Integer.BYTES));
        number(packet + 6, DO_NOT_FRAGMENT);
        Memory.putByte(packet + 8, (byte) HOPS);
        Memory.putByte(packet + 9, (byte) Segment.PROTOCOL_TCP);
    }

    /// Sends a segment without data. A SYN has the option with our largest segment.
    void send(int slot, int flags, int sequence, int acknowledgement) {
        addresses(
                tuples.client(slot),
                tuples.clientPort(slot),
                tuples.server(),
                tuples.serverPort(slot));
        boolean syn = (flags & Segment.SYN) != 0;
        if (syn) {
            long option = packet + HEADER_BYTES;
            Memory.putByte(option, (byte) Segment.OPTION_MSS);
            Memory.putByte(option + 1, (byte) Segment.MSS_OPTION_BYTES);
            number(option + 2, plan.mss());
        }
        finish(flags, sequence, acknowledgement, syn ? Segment.MSS_OPTION_BYTES : 0, 0);
    }

    void send(int slot, int flags, int sequence, int acknowledgement, long data, int count) {
        addresses(
                tuples.client(slot),
                tuples.clientPort(slot),
                tuples.server(),
                tuples.serverPort(slot));
        Memory.copy(data, packet + HEADER_BYTES, count);
        finish(flags, sequence, acknowledgement, 0, count);
    }

    /// Answers a segment that belongs to no connection.
    void reply(Segment to, int flags, int sequence, int acknowledgement) {
        addresses(to.destination, to.destinationPort, to.source, to.sourcePort);
        finish(flags, sequence, acknowledgement, 0, 0);
    }

    private void addresses(int from, int fromPort, int to, int toPort) {
        Memory.putInt(packet + Segment.ADDRESSES_AT, Integer.reverseBytes(from));
        Memory.putInt(packet + Segment.ADDRESSES_AT + Integer.BYTES, Integer.reverseBytes(to));
        number(packet + TCP, fromPort);
        number(packet + TCP + 2, toPort);
    }

    private void finish(int flags, int sequence, int acknowledgement, int options, int data) {
        int length = Segment.TCP_BYTES + options + data;
        long tcp = packet + TCP;
        Memory.putInt(tcp + 4, Integer.reverseBytes(sequence));
        Memory.putInt(tcp + 8, Integer.reverseBytes(acknowledgement));
        int words = (Segment.TCP_BYTES + options) / Integer.BYTES;
        Memory.putByte(tcp + 12, (byte) (words << 4));
        Memory.putByte(tcp + 13, (byte) flags);
        number(tcp + 14, WINDOW);
        Memory.putInt(tcp + 16, 0);
        long sum =
                Checksum.pseudoHeader(packet + Segment.ADDRESSES_AT, Segment.PROTOCOL_TCP, length);
        Memory.putShort(tcp + 16, Checksum.of(sum + Checksum.sum(tcp, length)));
        number(packet + 2, Segment.IP_BYTES + length);
        Memory.putShort(packet + 10, (short) 0);
        Memory.putShort(packet + 10, Checksum.of(Checksum.sum(packet, Segment.IP_BYTES)));
        counts.packetsOut++;
        wire.send(packet, Segment.IP_BYTES + length);
    }

    private static void number(long address, int value) {
        Memory.putShort(address, Short.reverseBytes((short) value));
    }

    @Override
    public void close() {
        Memory.unmap(packet, plan.linkBytes());
    }
}
