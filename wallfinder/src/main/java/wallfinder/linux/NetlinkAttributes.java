package wallfinder.linux;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/// Reads the attributes of a netlink message (`struct rtattr`): each has its length, its type and
/// its value, padded to four bytes.
final class NetlinkAttributes {
    private static final int HEADER = 4;

    /// The two upper bits mark nested attributes and those in network byte order.
    private static final int TYPE_MASK = 0x3fff;

    private NetlinkAttributes() {}

    /// The part of a message behind its fixed part.
    static ByteBuffer after(ByteBuffer message, int fixedBytes) {
        int from = Math.min(fixedBytes, message.limit());
        return message.slice(from, message.limit() - from).order(message.order());
    }

    /// The values by type, in the byte order of the message.
    static Map<Integer, ByteBuffer> of(ByteBuffer attributes) {
        Map<Integer, ByteBuffer> values = new HashMap<>();
        int at = 0;
        while (at + HEADER <= attributes.limit()) {
            int length = Short.toUnsignedInt(attributes.getShort(at));
            if (length < HEADER || at + length > attributes.limit()) {
                return values;
            }
            values.put(
                    attributes.getShort(at + 2) & TYPE_MASK,
                    attributes.slice(at + HEADER, length - HEADER).order(attributes.order()));
            at += (length + 3) & ~3;
        }
        return values;
    }
}
