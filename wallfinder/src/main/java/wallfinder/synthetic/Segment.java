package wallfinder.synthetic;

import wallfinder.linux.Memory;

/// A TCP segment that has arrived, read from its IPv4 packet. One object is used for all.
final class Segment {
    static final int FIN = 1;
    static final int SYN = 2;
    static final int RST = 4;
    static final int PSH = 8;
    static final int ACK = 16;

    static final int IP_BYTES = 20;
    static final int TCP_BYTES = 20;
    static final int PROTOCOL_TCP = 6;
    static final int ADDRESSES_AT = 12;
    static final int OPTION_END = 0;
    static final int OPTION_NOTHING = 1;
    static final int OPTION_MSS = 2;
    static final int MSS_OPTION_BYTES = 4;

    private static final int FRAGMENT = 0x3FFF;
    private static final int SHORT = 0xFFFF;

    enum Kind {
        TCP,
        /// Another protocol or version, or a fragment. Segments that fit the link are never
        /// fragmented.
        FOREIGN,
        /// Lengths or checksums are wrong: the packet counts as lost.
        DAMAGED
    }

    int source;
    int destination;
    int sourcePort;
    int destinationPort;
    int sequence;
    int acknowledgement;
    int flags;
    int window;

    /// The largest segment that the sender accepts, 0 if unknown.
    int mss;

    long data;
    int dataBytes;

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /// How many sequence numbers the segment takes.
    int length() {
        return dataBytes + (has(SYN) ? 1 : 0) + (has(FIN) ? 1 : 0);
    }

    Kind read(long packet, int length) {
        if (length < IP_BYTES || Memory.getByte(packet) >> 4 != 4) {
            return Kind.FOREIGN;
        }
        int header = (Memory.getByte(packet) & 0xF) * Integer.BYTES;
        int total = number(packet + 2);
        if (header < IP_BYTES || total < header || total > length) {
            return Kind.DAMAGED;
        }
        if (Checksum.of(Checksum.sum(packet, header)) != 0) {
            return Kind.DAMAGED;
        }
        boolean tcp = Memory.getByte(packet + 9) == PROTOCOL_TCP;
        if (!tcp || (number(packet + 6) & FRAGMENT) != 0) {
            return Kind.FOREIGN;
        }
        source = Integer.reverseBytes(Memory.getInt(packet + ADDRESSES_AT));
        destination = Integer.reverseBytes(Memory.getInt(packet + ADDRESSES_AT + Integer.BYTES));
        return readTcp(packet, packet + header, total - header);
    }

    private Kind readTcp(long packet, long tcp, int length) {
        if (length < TCP_BYTES) {
            return Kind.DAMAGED;
        }
        long sum = Checksum.pseudoHeader(packet + ADDRESSES_AT, PROTOCOL_TCP, length);
        int header = (Memory.getByte(tcp + 12) >> 4 & 0xF) * Integer.BYTES;
        boolean fits = header >= TCP_BYTES && header <= length;
        if (!fits || Checksum.of(sum + Checksum.sum(tcp, length)) != 0) {
            return Kind.DAMAGED;
        }
        sourcePort = number(tcp);
        destinationPort = number(tcp + 2);
        sequence = Integer.reverseBytes(Memory.getInt(tcp + 4));
        acknowledgement = Integer.reverseBytes(Memory.getInt(tcp + 8));
        flags = Memory.getByte(tcp + 13);
        window = number(tcp + 14);
        data = tcp + header;
        dataBytes = length - header;
        mss = has(SYN) ? mss(tcp + TCP_BYTES, tcp + header) : 0;
        return Kind.TCP;
    }

    /// The first malformed option ends the list.
    private static int mss(long from, long end) {
        long at = from;
        while (at < end && Memory.getByte(at) != OPTION_END) {
            if (Memory.getByte(at) == OPTION_NOTHING) {
                at++;
                continue;
            }
            int bytes = at + 1 < end ? Memory.getByte(at + 1) & 0xFF : 0;
            if (bytes < 2 || at + bytes > end) {
                return 0;
            }
            if (Memory.getByte(at) == OPTION_MSS && bytes == MSS_OPTION_BYTES) {
                return number(at + 2);
            }
            at += bytes;
        }
        return 0;
    }

    private static int number(long address) {
        return Short.reverseBytes(Memory.getShort(address)) & SHORT;
    }
}
