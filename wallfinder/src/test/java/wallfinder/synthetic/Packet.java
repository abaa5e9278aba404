package wallfinder.synthetic;

import java.nio.ByteBuffer;
import java.util.Arrays;
import wallfinder.linux.Memory;

/// A TCP segment in an IPv4 packet, written and read byte by byte as the RFCs specify. It shares
/// nothing with the code under test.
record Packet(
        int from,
        int fromPort,
        int to,
        int toPort,
        int seq,
        int ack,
        int flags,
        int window,
        byte[] options,
        byte[] data) {
    static final int FIN = 1;
    static final int SYN = 2;
    static final int RST = 4;
    static final int PSH = 8;
    static final int ACK = 16;

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    int length() {
        return data.length + (has(SYN) ? 1 : 0) + (has(FIN) ? 1 : 0);
    }

    /// `S`, `.` for ACK, `F`, `R` and `P`, as tcpdump prints them.
    String shown() {
        return (has(SYN) ? "S" : "")
                + (has(FIN) ? "F" : "")
                + (has(RST) ? "R" : "")
                + (has(PSH) ? "P" : "")
                + (has(ACK) ? "." : "");
    }

    byte[] bytes() {
        int header = 20 + options.length;
        int tcp = header + data.length;
        ByteBuffer out = ByteBuffer.allocate(20 + tcp);
        out.put((byte) 0x45).put((byte) 0).putShort((short) (20 + tcp)).putInt(0);
        out.put((byte) 64).put((byte) 6).putShort((short) 0).putInt(from).putInt(to);
        out.putShort((short) fromPort).putShort((short) toPort).putInt(seq).putInt(ack);
        out.put((byte) (header / 4 << 4)).put((byte) flags).putShort((short) window);
        out.putShort((short) 0).putShort((short) 0).put(options).put(data);
        out.putShort(10, (short) ~sum(out.array(), 0, 20, 0));
        out.putShort(36, (short) ~sum(out.array(), 20, 20 + tcp, pseudo(out.array(), tcp)));
        return out.array();
    }

    /// The packet, if its lengths and checksums are correct.
    static Packet read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int ip = (bytes[0] & 15) * 4;
        int tcp = (in.getShort(2) & 0xFFFF) - ip;
        int header = (bytes[ip + 12] >> 4 & 15) * 4;
        if (bytes[0] >> 4 != 4 || bytes[9] != 6 || ip + tcp != bytes.length) {
            throw new AssertionError("not a TCP packet: " + Arrays.toString(bytes));
        }
        if (sum(bytes, 0, ip, 0) != 0xFFFF
                || sum(bytes, ip, bytes.length, pseudo(bytes, tcp)) != 0xFFFF) {
            throw new AssertionError("a wrong checksum: " + Arrays.toString(bytes));
        }
        return new Packet(
                in.getInt(12),
                in.getShort(ip) & 0xFFFF,
                in.getInt(16),
                in.getShort(ip + 2) & 0xFFFF,
                in.getInt(ip + 4),
                in.getInt(ip + 8),
                bytes[ip + 13],
                in.getShort(ip + 14) & 0xFFFF,
                Arrays.copyOfRange(bytes, ip + 20, ip + header),
                Arrays.copyOfRange(bytes, ip + header, bytes.length));
    }

    static Packet read(long address, int length) {
        return read(Memory.getBytes(address, length));
    }

    private static int pseudo(byte[] bytes, int tcp) {
        return sum(bytes, 12, 20, 6 + tcp);
    }

    private static int sum(byte[] bytes, int from, int to, int start) {
        int sum = start;
        for (int at = from; at < to; at += 2) {
            int low = at + 1 < to ? bytes[at + 1] & 0xFF : 0;
            sum += (bytes[at] & 0xFF) << 8 | low;
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return sum;
    }

    /// A packet without data in the opposite direction.
    Packet reply(int seq, int ack, int flags, int window) {
        return new Packet(
                to, toPort, from, fromPort, seq, ack, flags, window, new byte[0], new byte[0]);
    }

    Packet with(byte[] data) {
        return new Packet(from, fromPort, to, toPort, seq, ack, flags, window, options, data);
    }

    Packet mss(int mss) {
        byte[] option = {2, 4, (byte) (mss >> 8), (byte) mss};
        return new Packet(from, fromPort, to, toPort, seq, ack, flags, window, option, data);
    }

    /// The largest segment that the sender accepts, or 0.
    int mss() {
        return options.length == 4 && options[0] == 2
                ? (options[2] & 0xFF) << 8 | options[3] & 0xFF
                : 0;
    }
}
