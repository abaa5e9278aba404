package wallfinder.synthetic;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// One connection of an echo server for tests: simple, slow and on the heap. It keeps early
/// segments, answers in pieces of random length, and occasionally closes its window.
final class ModelServer {
    private static final long RETRY = 700 * Rig.MILLI;

    private final SplittableRandom random;
    private final Consumer<Packet> wire;
    private final int iss;
    private final int mss;
    private final int room;
    private byte[] echoed = new byte[64];

    /// The first number of the client, once known.
    private int irs;

    private Packet first;
    private boolean open;
    boolean closed;
    boolean reset;
    private boolean finSent;
    private boolean finReceived;
    private int clientMss;
    private int received;
    private int read;
    private int acked;
    private int sent;
    private long sentNanos;
    private byte[] ahead = new byte[0];
    private int aheadAt;
    private boolean sleeping;

    ModelServer(SplittableRandom random, Consumer<Packet> wire) {
        this.random = random;
        this.wire = wire;
        iss = random.nextInt();
        mss = random.nextInt(100, 1461);
        room = random.nextInt(10) == 0 ? random.nextInt(1, 50) : random.nextInt(500, 20_000);
    }

    /// How many bytes may still arrive: unread bytes take space.
    private int window() {
        return Math.max(0, room - (received - read));
    }

    void receive(Packet in, long now) {
        if (in.has(Packet.RST)) {
            reset = true;
            return;
        }
        if (in.has(Packet.SYN)) {
            first = in;
            irs = in.seq();
            clientMss = in.mss();
            wire.accept(in.reply(iss, irs + 1, Packet.SYN | Packet.ACK, window()).mss(mss));
            return;
        }
        if (first == null || !in.has(Packet.ACK)) {
            return;
        }
        open = true;
        acknowledged(in, now);
        take(in);
        if (in.length() > 0) {
            acknowledge();
        }
    }

    private void acknowledged(Packet in, long now) {
        int upTo = in.ack() - (iss + 1);
        int most = sent + (finSent ? 1 : 0);
        if (upTo > most) {
            throw new AssertionError("acknowledges " + upTo + " of " + most);
        }
        if (upTo > acked) {
            acked = upTo;
            sentNanos = now;
        }
        closed = finSent && finReceived && acked == sent + 1;
    }

    private void take(Packet in) {
        int at = in.seq() - (irs + 1);
        if (at + in.data().length > received + window() + 1) {
            throw new AssertionError("sent beyond the window");
        }
        if (in.data().length > mss) {
            throw new AssertionError("a segment longer than was allowed");
        }
        int fits = Math.min(in.data().length, received + window() - at);
        if (at > received) {
            ahead = fits > 0 ? Arrays.copyOf(in.data(), fits) : ahead;
            aheadAt = fits > 0 ? at : aheadAt;
            return;
        }
        append(in.data(), received - at, fits);
        if (ahead.length > 0 && aheadAt <= received) {
            append(ahead, received - aheadAt, ahead.length);
            ahead = new byte[0];
        }
        boolean last = fits == in.data().length && at + fits == received;
        if (in.has(Packet.FIN) && last) {
            finReceived = true;
        }
    }

    private void append(byte[] data, int from, int to) {
        if (from < to) {
            int end = received + to - from;
            echoed = end > echoed.length ? Arrays.copyOf(echoed, 2 * end) : echoed;
            System.arraycopy(data, from, echoed, received, to - from);
            received = end;
        }
    }

    private int next() {
        return iss + 1 + sent + (finSent ? 1 : 0);
    }

    private int expected() {
        return irs + 1 + received + (finReceived ? 1 : 0);
    }

    private void acknowledge() {
        wire.accept(first.reply(next(), expected(), Packet.ACK, window()));
    }

    /// Reads, answers and retransmits.
    void step(long now) {
        if (!open || reset || closed) {
            return;
        }
        sleeping = random.nextInt(20) == 0 ? !sleeping : sleeping;
        if (!sleeping && read < received) {
            boolean wasSmall = window() < mss;
            read = random.nextInt(read, received) + 1;
            if (wasSmall && window() >= Math.min(mss, room)) {
                acknowledge();
            }
        }
        if (sent < read) {
            send(sent, Math.min(read, sent + clientMss), now);
        } else if (acked < sent && now - sentNanos > RETRY) {
            send(acked, Math.min(sent, acked + clientMss), now);
        }
        if (finReceived && sent == received && (!finSent || now - sentNanos > RETRY)) {
            finSent = true;
            sentNanos = now;
            int flags = Packet.FIN | Packet.ACK;
            wire.accept(first.reply(iss + 1 + sent, expected(), flags, window()));
        }
    }

    private void send(int from, int to, long now) {
        byte[] data = Arrays.copyOfRange(echoed, from, to);
        int flags = Packet.PSH | Packet.ACK;
        wire.accept(first.reply(iss + 1 + from, expected(), flags, window()).with(data));
        sent = Math.max(sent, to);
        sentNanos = now;
    }

    byte[] echoed() {
        return Arrays.copyOf(echoed, received);
    }
}
