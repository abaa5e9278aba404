package wallfinder.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Writes one netlink message (`include/uapi/linux/netlink.h`): a header of 16 bytes, a fixed part,
/// then attributes, each padded to four bytes.
final class NetlinkMessage {
    private static final int ATTRIBUTE_HEADER = 4;

    private final ByteBuffer bytes = ByteBuffer.allocate(1024).order(ByteOrder.nativeOrder());

    NetlinkMessage(int type, int flags) {
        bytes.putInt(0).putShort((short) type).putShort((short) flags).putInt(0).putInt(0);
    }

    /// Writes the fixed part of a link message (`struct ifinfomsg`).
    NetlinkMessage link(int index, int flags, int flagsChanged) {
        bytes.put((byte) 0).put((byte) 0).putShort((short) 0);
        bytes.putInt(index).putInt(flags).putInt(flagsChanged);
        return this;
    }

    /// Writes the fixed part of an address message (`struct ifaddrmsg`).
    NetlinkMessage address(int family, int prefixLength, int index) {
        bytes.put((byte) family).put((byte) prefixLength).put((byte) 0).put((byte) 0);
        bytes.putInt(index);
        return this;
    }

    /// Writes the fixed part of a message about queueing (`struct tcmsg`).
    ///
    /// @param index the link's, or 0 for all links
    NetlinkMessage queueing(int index) {
        bytes.put((byte) 0).put((byte) 0).putShort((short) 0);
        bytes.putInt(index).putInt(0).putInt(0).putInt(0);
        return this;
    }

    /// Writes a request for unix sockets (`struct unix_diag_req`).
    NetlinkMessage unixSockets(int states, int show) {
        bytes.put((byte) Sockets.AF_UNIX).put((byte) 0).putShort((short) 0);
        bytes.putInt(states).putInt(0).putInt(show).putLong(0);
        return this;
    }

    NetlinkMessage attribute(int type, byte[] value) {
        bytes.putShort((short) (ATTRIBUTE_HEADER + value.length)).putShort((short) type);
        bytes.put(value);
        while (bytes.position() % 4 != 0) {
            bytes.put((byte) 0);
        }
        return this;
    }

    NetlinkMessage attribute(int type, String text) {
        return attribute(type, (text + '\0').getBytes(StandardCharsets.US_ASCII));
    }

    NetlinkMessage attribute(int type, int value) {
        bytes.putShort((short) (ATTRIBUTE_HEADER + Integer.BYTES)).putShort((short) type);
        bytes.putInt(value);
        return this;
    }

    /// Starts an attribute that contains others and returns its start, for [#end].
    int begin(int type) {
        int start = bytes.position();
        bytes.putShort((short) 0).putShort((short) type);
        return start;
    }

    void end(int start) {
        bytes.putShort(start, (short) (bytes.position() - start));
    }

    ByteBuffer finished(int sequence) {
        bytes.putInt(0, bytes.position()).putInt(8, sequence);
        return bytes.duplicate().order(bytes.order()).flip();
    }
}
