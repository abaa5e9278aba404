package wallfinder.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import wallfinder.linux.Memory;

/// Sends a number of messages over each connection, one after the other, and checks the answers.
final class EchoTcpHandler implements TcpHandler, AutoCloseable {
    final Peers peers;
    final int bytes;
    final int messages;
    final Map<Ending, Integer> endings = new TreeMap<>();
    final List<Integer> waiting = new ArrayList<>();
    int connected;
    int answered;
    long pushed;
    private final long memory;
    Tcp tcp;
    long nowNanos;

    EchoTcpHandler(Peers peers, int bytes, int messages) {
        this.peers = peers;
        this.bytes = bytes;
        this.messages = messages;
        memory = Memory.map(Math.max(1, bytes));
    }

    byte[] expected(int slot, int number) {
        byte[] message = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            message[i] = (byte) (slot * 31 + number * 17 + i * 7 + (i >> 8));
        }
        return message;
    }

    @Override
    public void connected(int slot, long begunNanos, long now) {
        connected++;
        next(slot, now);
    }

    private void next(int slot, long now) {
        if (bytes == 0 || peers.progress(slot) >= messages) {
            return;
        }
        if (!tcp.send(slot, now, now)) {
            waiting.add(slot);
        }
    }

    /// Retries the messages for which there was no space.
    void resume() {
        List<Integer> again = List.copyOf(waiting);
        waiting.clear();
        again.stream().filter(peers::resting).forEach(slot -> next(slot, nowNanos));
    }

    @Override
    public long message(int slot) {
        Memory.putBytes(memory, expected(slot, peers.progress(slot)));
        return memory;
    }

    @Override
    public boolean take(int slot, int from, long address, int count) {
        byte[] came = Memory.getBytes(address, count);
        if (bytes == 0) {
            pushed += count;
            return true;
        }
        byte[] expected = expected(slot, peers.progress(slot));
        for (int i = 0; i < count; i++) {
            if (came[i] != expected[from + i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void answered(int slot, long sentNanos, long lateNanos, long now) {
        assertThat(now).isGreaterThanOrEqualTo(sentNanos);
        answered++;
        next(slot, now);
    }

    @Override
    public void ended(int slot, Ending why, long begunNanos, long now) {
        endings.merge(why, 1, Integer::sum);
    }

    @Override
    public void close() {
        Memory.unmap(memory, Math.max(1, bytes));
    }
}
