package wallfinder.load;

import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import wallfinder.experiment.HoldSpec;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.LoadOutcome.Hold;
import wallfinder.synthetic.Ending;
import wallfinder.synthetic.Link;
import wallfinder.synthetic.Peers;
import wallfinder.synthetic.Tcp;
import wallfinder.synthetic.TcpHandler;
import wallfinder.synthetic.TcpPlan;

/// Holds connections without sockets: it speaks their TCP itself, over a link to the kernel of the
/// server. Otherwise it works like [SocketHolder].
///
/// Nothing here allocates per connection or message.
final class SyntheticHolder implements ConnectionHolder, TcpHandler, TimingWheel.Sleepers {
    /// How many packets are read before the timers are checked again.
    private static final int PACKETS_MAX = 64;

    /// A due time is kept in 32 bits of this unit: 6.5 days.
    private static final int TICK_SHIFT = 17;

    /// How long a message waits if too many connections are active.
    private static final long AGAIN_NANOS = 2_000_000L;

    private static final long WAIT_NANOS_MAX = 1_000_000L;

    /// How long connections are closed in order; after that, they are reset.
    private static final long CLOSING_NANOS_MAX = 5_000_000_000L;

    private static final long RESETTING_NANOS_MAX = 20_000_000_000L;

    /// The engine in `run.json`.
    static final String WORD = "synthetic";

    /// How many connections may have a handshake or a message in progress: 16 MB.
    private static final int UNDER_WAY_MAX = 1 << 18;

    /// The bits of a connection's number.
    private static final int LIFE_SHIFT = 23;

    private final HoldSpec spec;
    private final HoldSpec.Kind kind;
    private final Link link;
    private final Link.Inlet inlet;
    private final Peers peers;
    private final Tcp tcp;
    private final MessageTimes times;
    private final LongSupplier clock;
    private final Tally tally;
    private final HeldTally held;
    private final Pauses pauses;
    private final ConnectionOpening opening;
    private final IntPredicate opener = this::open;
    private final TimingWheel wheel;
    private final Payload payload;
    private final long originNanos;
    private String how = "";
    private boolean stopping;

    /// @param seed of all messages and first sequence numbers of the run
    SyntheticHolder(HoldPlan plan, Link link, long seed, HeldTally held, LongSupplier clock) {
        spec = plan.spec();
        kind = spec.messages().kind();
        this.link = link;
        this.held = held;
        tally = held.tally;
        pauses = tally.pauses;
        this.clock = clock;
        times = new MessageTimes(spec, seed);
        originNanos = clock.getAsLong();
        opening = new ConnectionOpening(spec.opening(), spec.connections(), 1, clock);
        pauses.start(originNanos);
        peers = new Peers(spec.connections());
        tcp = new Tcp(tcpPlan(plan, seed), peers, link, this, originNanos);
        inlet = tcp::receive;
        wheel =
                new TimingWheel(
                        new TimingWheel.Links() {
                            @Override
                            public int link(int slot) {
                                return peers.link(slot);
                            }

                            @Override
                            public void link(int slot, int next) {
                                peers.link(slot, next);
                            }
                        },
                        originNanos);
        payload = new Payload(seed, Math.max(1, messageBytes()));
    }

    private int messageBytes() {
        return kind == HoldSpec.Kind.ECHO ? spec.messages().bytes() : 0;
    }

    private TcpPlan tcpPlan(HoldPlan plan, long seed) {
        return new TcpPlan(
                plan.tuples(),
                messageBytes(),
                Link.BYTES,
                Math.min(spec.connections(), UNDER_WAY_MAX),
                LoadPlan.nanos(spec.opening().timeout()),
                LoadPlan.nanos(spec.messages().timeout()),
                SplitMix64.mix(seed));
    }

    @Override
    public void step(long waitNanosMax) {
        poll(waitNanosMax);
        long now = clock.getAsLong();
        tcp.turn(now);
        wheel.turn(now, this);
        opening.openMore(tally.answered, opener);
        held.settle(opening);
    }

    private void poll(long nanosMax) {
        if (link.receive(inlet, PACKETS_MAX, clock) > 0) {
            return;
        }
        long longest = waitNanos(nanosMax);
        pauses.waiting(clock.getAsLong(), longest);
        boolean came = link.await(longest);
        pauses.woken(clock.getAsLong(), came);
    }

    private long waitNanos(long nanosMax) {
        long now = clock.getAsLong();
        long due = Math.min(wheel.waitNanos(now), tcp.waitNanos(now));
        return opening.waitNanos(now, Math.min(nanosMax, due));
    }

    @Override
    public void stop() {
        stopping = true;
        opening.stop();
        pauses.stop();
    }

    private boolean open(int slot) {
        long now = clock.getAsLong();
        if (!tcp.open(slot, now)) {
            return false;
        }
        opening.begun(now);
        return true;
    }

    @Override
    public void connected(int slot, long begunNanos, long now) {
        tally.connected(begunNanos, now);
        if (kind == HoldSpec.Kind.ECHO && !stopping) {
            ask(slot, now, now);
        } else {
            opening.arrived();
        }
    }

    /// The number of the current message in the whole run. It differs in each life of a connection.
    private long number(int slot) {
        long connection = ((long) peers.life(slot) << LIFE_SHIFT) | slot;
        return (connection << Integer.SIZE) | Integer.toUnsignedLong(peers.progress(slot));
    }

    private void ask(int slot, long due, long now) {
        if (tcp.send(slot, due, now)) {
            tally.begun++;
        } else {
            rest(slot, due, now + AGAIN_NANOS);
        }
    }

    private void rest(int slot, long due, long wakeNanos) {
        peers.note(slot, (int) ((due - originNanos) >> TICK_SHIFT));
        if (!wheel.holds(slot)) {
            wheel.put(slot, wakeNanos);
        }
    }

    private long dueNanos(int slot) {
        return originNanos + (Integer.toUnsignedLong(peers.note(slot)) << TICK_SHIFT);
    }

    @Override
    public long message(int slot) {
        return payload.write(number(slot));
    }

    @Override
    public boolean take(int slot, int from, long address, int count) {
        tally.bytes += count;
        if (kind == HoldSpec.Kind.PUSH) {
            tally.begun++;
            tally.answered++;
        }
        if (kind != HoldSpec.Kind.ECHO) {
            return true;
        }
        int wrong = payload.wrong(number(slot), from, address, count);
        if (wrong >= 0) {
            how = "byte %d of the answer to message %d".formatted(wrong, peers.progress(slot));
        }
        return wrong < 0;
    }

    @Override
    public void answered(int slot, long sentNanos, long lateNanos, long now) {
        boolean first = peers.progress(slot) == 1;
        held.answered(first, now - sentNanos, lateNanos);
        if (first) {
            opening.arrived();
        }
        long due = times.next(first, sentNanos, lateNanos, number(slot));
        if (due - now > 0) {
            rest(slot, due, due);
        } else if (!stopping) {
            tally.waited += times.paced() ? 1 : 0;
            ask(slot, times.paced() ? due : now, now);
        }
    }

    /// Called when the connection is due, or must be checked.
    @Override
    public void wake(int slot) {
        long now = clock.getAsLong();
        if (stopping) {
            return;
        }
        if (peers.ending(slot) != null) {
            reopen(slot, now);
        } else if (peers.resting(slot)) {
            long due = dueNanos(slot);
            if (now - due < 0) {
                wheel.put(slot, due);
            } else {
                tally.late(now - due);
                ask(slot, due, now);
            }
        }
    }

    private void reopen(int slot, long now) {
        if (spec.onError() != HoldSpec.OnError.RECONNECT) {
            return;
        }
        if (peers.gone(slot) && opening.allows(now) && open(slot)) {
            held.reopened++;
        } else {
            wheel.put(slot, now + ConnectionOpening.REOPEN_AGAIN_NANOS);
        }
    }

    @Override
    public void ended(int slot, Ending why, long begunNanos, long now) {
        boolean connecting = why == Ending.REFUSED || why == Ending.CONNECT_TIMEOUT;
        boolean busy = begunNanos != NOTHING;
        tally.begun += busy && !connecting ? 0 : 1;
        ErrorPhase phase = connecting ? ErrorPhase.CONNECT : ErrorPhase.FIRST_BYTE;
        tally.failed(kind(why), phase, busy ? now - begunNanos : 0);
        boolean onItsWay = connecting || (kind == HoldSpec.Kind.ECHO && peers.progress(slot) == 0);
        if (onItsWay) {
            opening.arrived();
        }
        String detail = why == Ending.CORRUPTED ? how + " is wrong" : "a synthetic peer";
        held.ended(connecting, slot, kind(why), detail);
        if (!stopping && spec.onError() == HoldSpec.OnError.RECONNECT && !wheel.holds(slot)) {
            wheel.put(slot, now + ConnectionOpening.REOPEN_NANOS);
        }
    }

    @Override
    public void account() {
        held.account(peers.size(), this::fate);
    }

    private String fate(int slot) {
        Ending why = peers.ending(slot);
        if (why != null) {
            return kind(why).word();
        }
        return peers.connected(slot)
                ? Hold.ALIVE
                : peers.connecting(slot) ? Hold.CONNECTING : Hold.UNOPENED;
    }

    static ErrorKind kind(Ending why) {
        return switch (why) {
            case REFUSED -> ErrorKind.CONNECT_REFUSED;
            case CONNECT_TIMEOUT -> ErrorKind.CONNECT_TIMEOUT;
            case RESET -> ErrorKind.RESET;
            case CLOSED -> ErrorKind.CLOSED;
            case TIMEOUT -> ErrorKind.TIMEOUT;
            case CORRUPTED -> ErrorKind.CORRUPTED;
        };
    }

    /// Closes all connections: in order while there is time, then with resets, and finally by
    /// removing the link.
    @Override
    public void close() {
        stopping = true;
        long begun = clock.getAsLong();
        int next = 0;
        while (clock.getAsLong() - begun < CLOSING_NANOS_MAX
                && (next < peers.size() || tcp.underWay() > 0)) {
            next = closeSome(next);
            poll(WAIT_NANOS_MAX);
            tcp.turn(clock.getAsLong());
        }
        for (int slot = 0; slot < peers.size(); slot++) {
            if (clock.getAsLong() - begun < CLOSING_NANOS_MAX + RESETTING_NANOS_MAX) {
                tcp.abort(slot);
            }
        }
        tcp.close();
        peers.close();
        payload.close();
    }

    private int closeSome(int from) {
        int slot = from;
        int end = Math.min(peers.size(), from + PACKETS_MAX);
        while (slot < end && tcp.close(slot, clock.getAsLong())) {
            slot++;
        }
        return slot;
    }
}
