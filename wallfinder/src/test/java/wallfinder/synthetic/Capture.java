package wallfinder.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a packet capture shows of connections, derived only from the packets. It verifies that each
/// checksum is correct, handshakes are in order, neither direction has a gap, and only sent bytes
/// are acknowledged.
final class Capture {
    /// What one end has sent.
    private static final class Side {
        Packet syn;
        int end;
        boolean established;
        boolean fin;
        boolean reset;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int sentTwice;

        int first() {
            return syn.seq() + 1;
        }

        void take(Packet packet) {
            reset |= packet.has(Packet.RST);
            if (packet.has(Packet.RST)) {
                return;
            }
            if (packet.has(Packet.SYN)) {
                assertThat(syn == null || syn.seq() == packet.seq()).as("one number").isTrue();
                sentTwice += syn == null ? 0 : 1;
                syn = packet;
                end = end == 0 ? packet.seq() + 1 : end;
                return;
            }
            assertThat(syn).as("a SYN comes first").isNotNull();
            int known = end - packet.seq();
            assertThat(sentMost() - packet.seq()).as("no gap: " + packet).isNotNegative();
            if (packet.data().length > Math.max(0, known)) {
                bytes.write(packet.data(), known, packet.data().length - known);
                end = packet.seq() + packet.data().length;
            } else {
                sentTwice += packet.data().length > 0 ? 1 : 0;
            }
            fin |= packet.has(Packet.FIN);
        }

        /// Includes its FIN.
        int sentMost() {
            return end + (fin ? 1 : 0);
        }
    }

    /// Both ends of a connection.
    static final class Connection {
        private final Side client = new Side();
        private final Side server = new Side();

        private void take(Packet packet, boolean fromClient) {
            Side side = fromClient ? client : server;
            Side other = fromClient ? server : client;
            if (packet.has(Packet.ACK) && !packet.has(Packet.RST)) {
                assertThat(other.syn).as("only a SYN can be acknowledged").isNotNull();
                assertThat(packet.ack() - other.sentMost()).as("was sent").isNotPositive();
            }
            if (packet.has(Packet.SYN)) {
                assertThat(packet.has(Packet.ACK)).isEqualTo(!fromClient);
            } else if (fromClient && packet.has(Packet.ACK) && server.syn != null) {
                client.established = true;
            }
            assertThat(fromClient || packet.data().length == 0 || client.established)
                    .as("no data before the handshake is over")
                    .isTrue();
            side.take(packet);
        }

        byte[] sent() {
            return client.bytes.toByteArray();
        }

        byte[] echoed() {
            return server.bytes.toByteArray();
        }

        boolean established() {
            return client.established;
        }

        boolean closedInOrder() {
            return client.fin && server.fin && !client.reset && !server.reset;
        }

        int sentTwice() {
            return client.sentTwice;
        }
    }

    private final Map<List<Integer>, Connection> connections = new TreeMap<>(Capture::compare);
    private int packets;

    private static int compare(List<Integer> a, List<Integer> b) {
        return a.toString().compareTo(b.toString());
    }

    /// @param serverAddress all other packets are from clients
    static Capture of(List<byte[]> packets, int serverAddress) {
        Capture capture = new Capture();
        for (byte[] bytes : packets) {
            if (bytes[0] >> 4 == 4 && bytes[9] == 6) {
                capture.take(Packet.read(bytes), serverAddress);
            }
        }
        return capture;
    }

    private void take(Packet packet, int server) {
        packets++;
        boolean fromClient = packet.to() == server;
        List<Integer> tuple =
                fromClient
                        ? List.of(packet.from(), packet.fromPort(), packet.toPort())
                        : List.of(packet.to(), packet.toPort(), packet.fromPort());
        connections.computeIfAbsent(tuple, t -> new Connection()).take(packet, fromClient);
    }

    List<Connection> connections() {
        return new ArrayList<>(connections.values());
    }

    int packets() {
        return packets;
    }
}
