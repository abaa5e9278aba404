package wallfinder.load;

import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import wallfinder.experiment.HoldSpec;
import wallfinder.linux.Epoll;
import wallfinder.linux.Errno;
import wallfinder.linux.Memory;
import wallfinder.linux.Sockets;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;

/// Holds the connections of one thread over sockets: opens them, sends messages when due, and
/// checks what arrives.
///
/// Nothing here allocates per connection or message.
final class SocketHolder implements ConnectionHolder, TimingWheel.Sleepers {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int EVENTS_MAX = 512;

    // Copies of those of EpollEngine, whose class may not load when descriptors have run out.
    private static final int AGAIN = Errno.EAGAIN.number();
    private static final int INTERRUPTED = Errno.EINTR.number();

    /// How many reads one connection gets before the others get their turn. They suffice for the
    /// longest answer.
    private static final int READS_MAX = 1 + HoldSpec.Messages.BYTES_MAX / BUFFER_BYTES;

    private static final long NANOS_PER_MICRO = 1000;
    private static final String LATE = "it timed out";

    /// The clock is read after a wait and then once per this many events. Events in between get the
    /// last reading, which is at most about 0.1 ms old.
    private static final int EVENTS_A_LOOK = 16;

    private final HoldSpec spec;
    private final HoldSpec.Kind kind;
    private final int first;
    private final int messageBytes;
    private final MessageTimes times;
    private final LongSupplier clock;
    private final Tally tally;
    private final HeldTally held;
    private final Pauses pauses;
    private final ConnectionOpening opening;
    private final IntPredicate opener = this::open;
    private final Connector connector;
    private final Sockets sockets;
    private final Epoll epoll;
    private final HeldConnections connections;
    private final TimingWheel wheel;
    private final Payload payload;
    private final long buffer;
    private long lookedNanos;
    private boolean stopping;

    /// @param thread index in the plan
    /// @param seed of all messages of the run
    SocketHolder(
            HoldPlan plan,
            int thread,
            long seed,
            Connector connector,
            HeldTally held,
            LongSupplier clock) {
        spec = plan.spec();
        HoldSpec.Messages messages = spec.messages();
        kind = messages.kind();
        first = plan.first(thread);
        messageBytes = messages.bytes();
        times = new MessageTimes(spec, seed);
        this.clock = clock;
        this.held = held;
        tally = held.tally;
        pauses = tally.pauses;
        this.connector = connector;
        sockets = connector.sockets;
        opening = new ConnectionOpening(spec.opening(), plan.share(thread), plan.threads(), clock);
        lookedNanos = clock.getAsLong();
        pauses.start(lookedNanos);
        epoll = new Epoll(EVENTS_MAX);
        connections = new HeldConnections(plan.share(thread));
        wheel = new TimingWheel(connections, lookedNanos);
        payload = new Payload(seed, messageBytes);
        buffer = Memory.map(BUFFER_BYTES);
    }

    @Override
    public void step(long waitNanosMax) {
        poll(waitNanosMax);
        wheel.turn(lookedNanos, this);
        opening.openMore(tally.answered, opener);
        held.settle(opening);
    }

    @Override
    public void stop() {
        stopping = true;
        opening.stop();
        pauses.stop();
    }

    @Override
    public void account() {
        held.account(connections.size(), connections::fate);
    }

    private boolean open(int slot) {
        long now = clock.getAsLong();
        opening.begun(now);
        int fd = connector.open();
        int result = fd < 0 ? fd : epoll.add(fd, EpollEngine.INTERESTS, slot);
        connections.sinceNanos(slot, now);
        if (result < 0) {
            connections.opened(slot, HeldConnections.NO_FD);
            if (fd >= 0) {
                sockets.close(fd);
            }
            end(slot, FailureKinds.connecting(-result), Errno.of(-result).meaning());
        } else {
            connections.opened(slot, fd);
            wheel.put(slot, times.lookWhileOpening(now, now, message(slot)));
        }
        return true;
    }

    private void connected(int slot) {
        int error = sockets.pendingError(connections.fd(slot));
        if (error != 0) {
            end(slot, FailureKinds.connecting(error), Errno.of(error).meaning());
            return;
        }
        long now = clock.getAsLong();
        tally.connected(connections.sinceNanos(slot), now);
        connections.sinceNanos(slot, now);
        if (kind == HoldSpec.Kind.ECHO && !stopping) {
            ask(slot, HeldConnections.FIRST, now, now);
        } else {
            connections.state(slot, HeldConnections.RESTING);
            opening.arrived();
        }
    }

    /// @param state [HeldConnections#FIRST] or [HeldConnections#ASKING]
    /// @param due when the message was due
    private void ask(int slot, int state, long due, long now) {
        connections.state(slot, state);
        tally.begun++;
        connections.sinceNanos(slot, now);
        connections.lateMicros(
                slot, Math.clamp((now - due) / NANOS_PER_MICRO, 0, Integer.MAX_VALUE));
        connections.received(slot, 0);
        connections.sent(slot, 0);
        sendRest(slot);
        if (!wheel.holds(slot) && connections.asking(slot)) {
            wheel.put(slot, times.lookWhileAsking(now, now, nextDue(slot)));
        }
    }

    private void sendRest(int slot) {
        int sent = connections.sent(slot);
        long from = payload.write(message(slot)) + sent;
        int result = sockets.send(connections.fd(slot), from, messageBytes - sent, false);
        if (result >= 0) {
            connections.sent(slot, sent + result);
        } else if (result != -AGAIN && result != -INTERRUPTED) {
            end(slot, FailureKinds.answering(-result), Errno.of(-result).meaning());
        }
    }

    /// When the message after the current one is due.
    private long nextDue(int slot) {
        boolean first = connections.state(slot) == HeldConnections.FIRST;
        return times.next(first, connections.sinceNanos(slot), lateNanos(slot), message(slot));
    }

    private long lateNanos(int slot) {
        return connections.lateMicros(slot) * NANOS_PER_MICRO;
    }

    /// The number of a connection in the whole run.
    private long connection(int slot) {
        return (long) first + slot;
    }

    /// The number of the current message in the whole run.
    private long message(int slot) {
        return (connection(slot) << 32) | Integer.toUnsignedLong(connections.sequence(slot));
    }

    private void answered(int slot) {
        boolean first = connections.state(slot) == HeldConnections.FIRST;
        long due = nextDue(slot);
        held.answered(first, lookedNanos - connections.sinceNanos(slot), lateNanos(slot));
        if (first) {
            opening.arrived();
        }
        connections.sequence(slot, connections.sequence(slot) + 1);
        connections.state(slot, HeldConnections.RESTING);
        connections.sinceNanos(slot, due);
        if (due - lookedNanos <= 0) {
            askOverdue(slot, due);
        } else if (!wheel.holds(slot)) {
            wheel.put(slot, due);
        }
    }

    /// Sends a message that came due before the one before it was answered.
    private void askOverdue(int slot, long due) {
        if (stopping) {
            return;
        }
        boolean paced = times.paced();
        long now = clock.getAsLong();
        tally.waited += paced ? 1 : 0;
        ask(slot, HeldConnections.ASKING, paced ? due : now, now);
    }

    /// Called when the connection is due, or must be checked.
    @Override
    public void wake(int slot) {
        long now = lookedNanos;
        long since = connections.sinceNanos(slot);
        switch (connections.state(slot)) {
            case HeldConnections.UNOPENED -> {}
            case HeldConnections.CONNECTING -> {
                if (now - times.connectDeadline(since) < 0) {
                    wheel.put(slot, times.lookWhileOpening(now, since, message(slot)));
                } else {
                    end(slot, ErrorKind.CONNECT_TIMEOUT, LATE);
                }
            }
            case HeldConnections.FIRST, HeldConnections.ASKING -> {
                if (now - times.deadline(since) < 0) {
                    wheel.put(slot, times.lookWhileAsking(now, since, nextDue(slot)));
                } else {
                    end(slot, ErrorKind.TIMEOUT, LATE);
                }
            }
            case HeldConnections.RESTING -> rested(slot, since);
            default -> reopen(slot, now, since);
        }
    }

    private void rested(int slot, long due) {
        switch (kind) {
            case IDLE -> {}
            case PUSH -> read(slot, true);
            case ECHO -> {
                if (lookedNanos - due < 0) {
                    wheel.put(slot, due);
                } else if (!stopping) {
                    long now = clock.getAsLong();
                    tally.late(now - due);
                    ask(slot, HeldConnections.ASKING, due, now);
                }
            }
        }
    }

    private void reopen(int slot, long now, long since) {
        if (spec.onError() != HoldSpec.OnError.RECONNECT || stopping) {
            return;
        }
        if (now - since < ConnectionOpening.REOPEN_NANOS) {
            wheel.put(slot, since + ConnectionOpening.REOPEN_NANOS);
        } else if (opening.allows(now)) {
            held.reopened++;
            open(slot);
        } else {
            wheel.put(slot, now + ConnectionOpening.REOPEN_AGAIN_NANOS);
        }
    }

    private void poll(long nanosMax) {
        long now = clock.getAsLong();
        long longest = opening.waitNanos(now, Math.min(nanosMax, wheel.waitNanos(now)));
        pauses.waiting(now, longest);
        int count = epoll.await(longest);
        lookedNanos = clock.getAsLong();
        pauses.woken(lookedNanos, count > 0);
        for (int i = 0; i < count; i++) {
            if (i > 0 && i % EVENTS_A_LOOK == 0) {
                lookedNanos = clock.getAsLong();
            }
            happened((int) epoll.data(i), epoll.eventMask(i));
        }
    }

    /// Connections close and reopen between two polls. An event may belong to a connection that has
    /// just closed, but never to the descriptor of another one.
    private void happened(int slot, int what) {
        if (!connections.open(slot)) {
            return;
        }
        if (connections.state(slot) == HeldConnections.CONNECTING) {
            if ((what & (Epoll.OUT | Epoll.ERR | Epoll.HUP)) == 0) {
                return;
            }
            connected(slot);
        } else if ((what & Epoll.OUT) != 0 && unsent(slot)) {
            sendRest(slot);
        }
        if ((what & EpollEngine.READABLE) != 0 && connections.open(slot)) {
            read(slot, (what & ~(Epoll.IN | Epoll.OUT)) != 0);
        }
    }

    private boolean unsent(int slot) {
        return connections.asking(slot) && connections.sent(slot) < messageBytes;
    }

    /// A piece that does not fill the buffer is the last one for now: more data makes a new event.
    ///
    /// @param toEnd whether the end of the stream may follow the last piece
    private void read(int slot, boolean toEnd) {
        int fd = connections.fd(slot);
        for (int i = 0; i < READS_MAX; i++) {
            int result = sockets.receive(fd, buffer, BUFFER_BYTES);
            if (result > 0) {
                tally.bytes += result;
                received(slot, result);
            } else if (result == 0) {
                end(slot, ErrorKind.CLOSED, "the server closed it");
            } else if (result == -AGAIN) {
                return;
            } else if (result != -INTERRUPTED) {
                end(slot, FailureKinds.answering(-result), Errno.of(-result).meaning());
            }
            boolean last = result > 0 && result < BUFFER_BYTES && !toEnd;
            if (last || !connections.open(slot)) {
                return;
            }
        }
        if (!wheel.holds(slot)) {
            wheel.put(slot, clock.getAsLong());
        }
    }

    private void received(int slot, int count) {
        if (connections.asking(slot)) {
            check(slot, count);
        } else if (kind == HoldSpec.Kind.ECHO) {
            end(slot, ErrorKind.CORRUPTED, count + " unexpected bytes");
        } else if (kind == HoldSpec.Kind.PUSH) {
            tally.begun++;
            tally.answered++;
        }
    }

    private void check(int slot, int count) {
        int received = connections.received(slot);
        int sequence = connections.sequence(slot);
        int known = Math.min(count, messageBytes - received);
        int wrong = payload.wrong(message(slot), received, buffer, known);
        if (wrong >= 0) {
            end(
                    slot,
                    ErrorKind.CORRUPTED,
                    "byte %d of the answer to message %d is %02x instead of %02x"
                            .formatted(
                                    wrong,
                                    sequence,
                                    Memory.getByte(buffer + wrong - received),
                                    payload.expected(message(slot), wrong)));
        } else if (count > known) {
            end(
                    slot,
                    ErrorKind.CORRUPTED,
                    "%d unexpected bytes after the answer to message %d"
                            .formatted(count - known, sequence));
        } else {
            connections.received(slot, received + count);
            if (received + count == messageBytes) {
                answered(slot);
            }
        }
    }

    private void end(int slot, ErrorKind why, String how) {
        int state = connections.state(slot);
        long now = clock.getAsLong();
        boolean asking = connections.asking(slot);
        tally.begun += asking ? 0 : 1;
        tally.failed(
                why,
                phase(slot, state),
                state == HeldConnections.RESTING ? 0 : now - connections.sinceNanos(slot));
        if (state != HeldConnections.RESTING && state != HeldConnections.ASKING) {
            opening.arrived();
        }
        held.ended(state == HeldConnections.CONNECTING, connection(slot), why, how);
        if (connections.fd(slot) != HeldConnections.NO_FD) {
            sockets.close(connections.fd(slot));
        }
        // A message without a correct answer is not sent again.
        connections.sequence(slot, connections.sequence(slot) + 1);
        connections.sinceNanos(slot, now);
        connections.ended(slot, why);
        if (spec.onError() == HoldSpec.OnError.RECONNECT && !stopping && !wheel.holds(slot)) {
            wheel.put(slot, now + ConnectionOpening.REOPEN_NANOS);
        }
    }

    private ErrorPhase phase(int slot, int state) {
        return switch (state) {
            case HeldConnections.CONNECTING -> ErrorPhase.CONNECT;
            case HeldConnections.RESTING -> ErrorPhase.RESTING;
            default -> connections.received(slot) == 0 ? ErrorPhase.FIRST_BYTE : ErrorPhase.ANSWER;
        };
    }

    @Override
    public void close() {
        for (int slot = 0; slot < connections.size(); slot++) {
            if (connections.open(slot)) {
                sockets.close(connections.fd(slot));
            }
        }
        epoll.close();
        connector.close();
        payload.close();
        connections.close();
        Memory.unmap(buffer, BUFFER_BYTES);
    }
}
