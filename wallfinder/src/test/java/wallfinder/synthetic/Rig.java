package wallfinder.synthetic;

import java.util.ArrayDeque;
import java.util.Deque;
import wallfinder.linux.Memory;

/// Connections whose peer is the test: it passes packets in and takes them out, and sets the time.
final class Rig implements AutoCloseable {
    static final int SERVER = 0xC6120001;
    static final int CLIENT = 0xC6130001;
    static final int SERVER_PORT = 8000;
    static final int CLIENT_PORT = 1024;
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1000 * MILLI;

    final Peers peers;
    final EchoTcpHandler handler;
    final Tcp tcp;
    final Deque<Packet> sent = new ArrayDeque<>();
    private final long memory = Memory.map(65_536);
    long now = 7 * SECOND;

    Rig(int connections, int messageBytes, int messages, int underWay) {
        peers = new Peers(connections);
        handler = new EchoTcpHandler(peers, messageBytes, messages);
        Tuples tuples = new Tuples(SERVER, SERVER_PORT, 2, CLIENT, 100, CLIENT_PORT, 1000);
        TcpPlan plan =
                new TcpPlan(tuples, messageBytes, 1500, underWay, 10 * SECOND, 20 * SECOND, 0x5EED);
        tcp = new Tcp(plan, peers, this::take, handler, now);
        handler.tcp = tcp;
    }

    static Rig of(int messageBytes, int messages) {
        return new Rig(4, messageBytes, messages, 4);
    }

    private void take(long address, int length) {
        sent.add(Packet.read(address, length));
    }

    void receive(Packet packet) {
        receive(packet.bytes());
    }

    void receive(byte[] packet) {
        Memory.putBytes(memory, packet);
        handler.nowNanos = now;
        tcp.receive(memory, packet.length, now);
    }

    void pass(long nanos) {
        now += nanos;
        handler.nowNanos = now;
        tcp.turn(now);
    }

    /// The next packet that was sent.
    Packet next() {
        return sent.remove();
    }

    /// Opens a connection and answers its SYN.
    ///
    /// @return the SYN
    Packet connect(int slot, int irs, int window) {
        tcp.open(slot, now);
        Packet syn = next();
        receive(syn.reply(irs, syn.seq() + 1, Packet.SYN | Packet.ACK, window).mss(1460));
        return syn;
    }

    @Override
    public void close() {
        tcp.close();
        handler.close();
        peers.close();
        Memory.unmap(memory, 65_536);
    }
}
