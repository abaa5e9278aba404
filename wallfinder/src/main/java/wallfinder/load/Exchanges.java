package wallfinder.load;

import java.util.function.LongSupplier;
import wallfinder.linux.Errno;
import wallfinder.load.Exchange.State;
import wallfinder.observation.ErrorKind;

/// The exchanges of one thread: takes what the engine saw, decides what happens next.
///
/// ```
///            begin                connected
///  VACANT ----------> CONNECTING ----------> ANSWERING <---------- READY
///    ^  ^                 |                   |  |  |     begin      ^ |
///    |  |                 | failed            |  |  +----------------+ | closed by
///    |  |                 v                   |  |  answered, kept     | the server
///    |  +----------- BACKING_OFF <------------+  |                     |
///    |   after a while           failed          | answered, not kept  |
///    |                                           v                     |
///    +---------------------------------------- PARTING                 |
///    |          the server closed, or waited long enough               |
///    +-----------------------------------------------------------------+
/// ```
///
/// In an open loop a connection is OPENING first, without an exchange, from VACANT to READY. If
/// that fails it is VACANT again, and the first request that is due connects anew. Failures do not
/// back off there: the rate bounds them.
///
/// An answered exchange leaves the closing to the server for a while, so that TIME_WAIT is on its
/// side. A connection that was used before and is closed before any byte of the next answer was
/// only ended by the server between two requests: the exchange goes on over a new one.
final class Exchanges implements Events {
    /// How long the server may take to close, if it said that it would.
    static final long PARTING_NANOS = 200_000_000L;

    /// The same if it did not say so.
    static final long PARTING_UNANNOUNCED_NANOS = 20_000_000L;

    /// The pause after a failed exchange, doubled with each further one: a connection fails at most
    /// a thousand times a second.
    static final long BACKOFF_NANOS_MIN = 1_000_000L;

    /// The pause doubles up to this many times: 64 ms.
    static final int BACKOFF_DOUBLINGS_MAX = 6;

    private static final long SWEEP_NANOS = 5_000_000L;
    private static final long SWEEP_BACKING_OFF_NANOS = 1_000_000L;

    private final Engine engine;
    private final Requests requests;
    private final Arrivals arrivals;
    private final Tally tally;
    private final LongSupplier clock;
    private final boolean keepalive;
    private final long timeoutNanos;
    private final Exchange[] exchanges;
    private final Pauses pauses = new Pauses();
    private long remaining;
    private long nowNanos;
    private long waitingNanos;
    private long sweptNanos;
    private long lastAnswerNanos;
    private int backingOff;
    private int outstanding;
    private int opening;
    private long abandoned;
    private int noPort;
    private int noDescriptor;
    private boolean stopping;

    /// @param requestsMax how many exchanges are begun at most
    /// @param clock tells nanoseconds since whenever
    Exchanges(
            LoadPlan plan,
            int connections,
            long requestsMax,
            Engine engine,
            Requests requests,
            Arrivals arrivals,
            Tally tally,
            LongSupplier clock) {
        this.engine = engine;
        this.requests = requests;
        this.arrivals = arrivals;
        this.tally = tally;
        this.clock = clock;
        keepalive = plan.keepalive();
        timeoutNanos = plan.timeoutNanos();
        remaining = requestsMax;
        loadErrors();
        exchanges = new Exchange[connections];
        for (int slot = 0; slot < connections; slot++) {
            exchanges[slot] = new Exchange(slot);
        }
    }

    /// Loads now what names an error: when descriptors have run out, no class can be loaded.
    private static void loadErrors() {
        connectError(0);
        answerError(0);
    }

    int size() {
        return exchanges.length;
    }

    Exchange get(int slot) {
        return exchanges[slot];
    }

    /// How many connections may begin another exchange.
    int beginnable() {
        return (int) Math.min(exchanges.length, remaining);
    }

    /// The time, as it was last read.
    long now() {
        return nowNanos;
    }

    @Override
    public void waiting(long nanosMax) {
        waitingNanos = clock.getAsLong();
        pauses.waiting(waitingNanos, nanosMax);
    }

    @Override
    public void sent(int slot) {
        exchanges[slot].sentNanos = waitingNanos;
    }

    @Override
    public void woken(boolean happened) {
        tick();
        pauses.woken(nowNanos, happened);
    }

    @Override
    public void tick() {
        nowNanos = clock.getAsLong();
    }

    /// The time, read now.
    long clockNanos() {
        return clock.getAsLong();
    }

    Pauses pauses() {
        return pauses;
    }

    /// Lets all connections begin. That takes its time, and is no pause.
    void start() {
        boolean open = arrivals.paced() && keepalive;
        for (Exchange exchange : exchanges) {
            if (open) {
                open(exchange);
            } else {
                freed(exchange);
            }
        }
        pauses.start(clock.getAsLong());
    }

    /// Begins no more exchanges than are due by now.
    void stop() {
        stopping = true;
        pauses.stop();
        arrivals.stop(nowNanos);
    }

    /// Requests that are due and were not begun are in flight when all ends.
    void end() {
        long waiting = Math.min(arrivals.waiting(nowNanos), remaining);
        tally.begun += waiting;
        abandoned += waiting;
    }

    /// Connections that do not stand yet and have no exchange to wait for them.
    int opening() {
        return opening;
    }

    /// Exchanges begun and not ended.
    int outstanding() {
        return outstanding;
    }

    /// Exchanges that got no answer because the load was stopped before.
    long inFlight() {
        return outstanding + abandoned;
    }

    boolean done() {
        return outstanding == 0 && (stopping || remaining == 0) && !arrivals.pending();
    }

    long lastAnswerNanos() {
        return lastAnswerNanos;
    }

    long noPort() {
        return noPort;
    }

    long noDescriptor() {
        return noDescriptor;
    }

    /// Forgets what ran out before the measurement.
    void mark(long nanos) {
        noPort = 0;
        noDescriptor = 0;
        pauses.start(nanos);
    }

    /// Begins the next exchange of a free connection, due now.
    void begin(Exchange exchange) {
        if (!stopping && remaining > 0) {
            begin(exchange, nowNanos);
        }
    }

    /// Begins the next exchange of a free connection.
    void begin(Exchange exchange, long dueNanos) {
        remaining--;
        outstanding++;
        tally.begun++;
        exchange.dueNanos = dueNanos;
        exchange.deadlineNanos = nowNanos + timeoutNanos;
        requests.next(exchange);
        if (exchange.state == State.READY) {
            sending(exchange);
            int result =
                    engine.send(exchange.slot, exchange.requestAddress, exchange.requestLength);
            if (result < 0) {
                sendFailed(exchange.slot, -result);
            }
        } else {
            connect(exchange);
        }
    }

    /// A request was due, and no connection got free for it in time.
    void missed() {
        remaining--;
        tally.begun++;
        tally.failed(ErrorKind.NO_CONNECTION);
    }

    private void open(Exchange exchange) {
        exchange.state = State.OPENING;
        exchange.first = true;
        exchange.connectNanos = clock.getAsLong();
        exchange.standsNanos = 0;
        exchange.deadlineNanos = nowNanos + timeoutNanos;
        opening++;
        if (engine.connect(exchange.slot, 0, 0) < 0) {
            notOpened(exchange);
        }
    }

    private void notOpened(Exchange exchange) {
        opening--;
        engine.disconnect(exchange.slot);
        exchange.state = State.VACANT;
        freed(exchange);
    }

    private void connect(Exchange exchange) {
        exchange.state = State.CONNECTING;
        exchange.first = true;
        exchange.connectNanos = clock.getAsLong();
        exchange.standsNanos = 0;
        int result = engine.connect(exchange.slot, exchange.requestAddress, exchange.requestLength);
        if (result < 0) {
            fail(exchange, connectError(-result));
        }
    }

    private void sending(Exchange exchange) {
        exchange.state = State.ANSWERING;
        exchange.reset = false;
        exchange.sentNanos = nowNanos;
        exchange.parser.start(exchange.head);
    }

    @Override
    public void connected(int slot) {
        Exchange exchange = exchanges[slot];
        tally.connected(nowNanos - exchange.connectNanos);
        if (exchange.state == State.OPENING) {
            opening--;
            exchange.state = State.READY;
            freed(exchange);
        } else {
            sending(exchange);
        }
    }

    @Override
    public void received(int slot, long address, int length) {
        Exchange exchange = exchanges[slot];
        tally.bytes += length;
        switch (exchange.state) {
            case ANSWERING -> read(exchange, address, length);
            case READY -> vacate(exchange);
            case VACANT, OPENING, CONNECTING, PARTING, BACKING_OFF -> {}
        }
    }

    private void read(Exchange exchange, long address, int length) {
        ResponseParser parser = exchange.parser;
        int used = parser.read(address, length);
        if (!parser.ended()) {
            return;
        }
        if (parser.malformed() || used < length) {
            fail(exchange, ErrorKind.MALFORMED);
            return;
        }
        answered(exchange);
        if (keepalive && !parser.closes()) {
            exchange.state = State.READY;
            freed(exchange);
        } else {
            exchange.state = State.PARTING;
            exchange.deadlineNanos =
                    nowNanos + (parser.closes() ? PARTING_NANOS : PARTING_UNANNOUNCED_NANOS);
        }
    }

    private void answered(Exchange exchange) {
        tally.answered(
                exchange.parser.status(),
                nowNanos - exchange.dueNanos,
                nowNanos - exchange.sentNanos);
        exchange.first = false;
        exchange.failures = 0;
        lastAnswerNanos = nowNanos;
        outstanding--;
        arrivals.completed(this);
    }

    @Override
    public void ended(int slot) {
        Exchange exchange = exchanges[slot];
        switch (exchange.state) {
            case READY -> vacate(exchange);
            case PARTING -> part(exchange);
            case ANSWERING -> cut(exchange, exchange.reset ? ErrorKind.RESET : ErrorKind.CLOSED);
            case CONNECTING -> fail(exchange, ErrorKind.CONNECT_RESET);
            case OPENING -> notOpened(exchange);
            case VACANT, BACKING_OFF -> {}
        }
    }

    @Override
    public void failed(int slot, int errno) {
        Exchange exchange = exchanges[slot];
        switch (exchange.state) {
            case READY -> vacate(exchange);
            case PARTING -> part(exchange);
            case ANSWERING -> cut(exchange, answerError(errno));
            case CONNECTING -> fail(exchange, connectError(errno));
            case OPENING -> notOpened(exchange);
            case VACANT, BACKING_OFF -> {}
        }
    }

    /// A server that has closed may have answered before: what can be received tells.
    @Override
    public void sendFailed(int slot, int errno) {
        Exchange exchange = exchanges[slot];
        if (exchange.state != State.ANSWERING) {
            return;
        }
        if (errno == Errno.ECONNRESET.number()) {
            exchange.reset = true;
        } else if (errno != Errno.EPIPE.number()) {
            fail(exchange, ErrorKind.SEND_FAILED);
        }
    }

    @Override
    public void gone(int slot) {
        throw new IllegalStateException("nothing was to be told");
    }

    @Override
    public void stands(int slot) {
        exchanges[slot].standsNanos = nowNanos;
    }

    @Override
    public void handshaken(int slot, boolean resumed) {
        Exchange exchange = exchanges[slot];
        tally.tls.handshaken(
                exchange.standsNanos - exchange.connectNanos,
                nowNanos - exchange.standsNanos,
                resumed);
        exchange.standsNanos = 0;
    }

    /// As with `Connection: close`, the closing is left to the server for a while.
    @Override
    public void ending(int slot) {
        Exchange exchange = exchanges[slot];
        switch (exchange.state) {
            case READY -> vacate(exchange);
            case ANSWERING -> {
                if (exchange.parser.endOfStream()) {
                    answered(exchange);
                    exchange.state = State.PARTING;
                    exchange.deadlineNanos = nowNanos + PARTING_NANOS;
                } else {
                    cut(exchange, ErrorKind.CLOSED);
                }
            }
            case CONNECTING, OPENING, PARTING, VACANT, BACKING_OFF -> {}
        }
    }

    /// A connection that ends before any byte of an answer has cut nothing off.
    @Override
    public void broken(int slot, ErrorKind kind) {
        Exchange exchange = exchanges[slot];
        boolean nothingCut = kind == ErrorKind.TLS_TRUNCATED && exchange.parser.untouched();
        switch (exchange.state) {
            case READY -> vacate(exchange);
            case PARTING -> part(exchange);
            case ANSWERING -> cut(exchange, nothingCut ? ErrorKind.CLOSED : kind);
            case CONNECTING -> fail(exchange, kind);
            case OPENING -> notOpened(exchange);
            case VACANT, BACKING_OFF -> {}
        }
    }

    private void cut(Exchange exchange, ErrorKind kind) {
        ResponseParser parser = exchange.parser;
        if (kind == ErrorKind.CLOSED && parser.endOfStream()) {
            answered(exchange);
            part(exchange);
        } else if (!exchange.first && parser.untouched() && kind != ErrorKind.TIMEOUT) {
            goOn(exchange);
        } else {
            fail(exchange, kind);
        }
    }

    private void goOn(Exchange exchange) {
        vacate(exchange);
        if (stopping) {
            outstanding--;
            abandoned++;
        } else {
            connect(exchange);
        }
    }

    private void part(Exchange exchange) {
        vacate(exchange);
        freed(exchange);
    }

    private void vacate(Exchange exchange) {
        engine.disconnect(exchange.slot);
        if (exchange.state != State.CONNECTING) {
            tally.open--;
        }
        exchange.state = State.VACANT;
    }

    private void fail(Exchange exchange, ErrorKind kind) {
        noteExhausted(kind);
        vacate(exchange);
        tally.failed(kind);
        outstanding--;
        if (arrivals.paced()) {
            freed(exchange);
        } else {
            backOff(exchange);
        }
        arrivals.completed(this);
    }

    private void backOff(Exchange exchange) {
        int doublings = Math.min(exchange.failures++, BACKOFF_DOUBLINGS_MAX);
        exchange.state = State.BACKING_OFF;
        exchange.deadlineNanos = nowNanos + (BACKOFF_NANOS_MIN << doublings);
        backingOff++;
    }

    private void noteExhausted(ErrorKind kind) {
        if (kind == ErrorKind.CONNECT_NO_PORT) {
            noPort++;
        } else if (kind == ErrorKind.CONNECT_NO_DESCRIPTOR) {
            noDescriptor++;
        }
    }

    private void freed(Exchange exchange) {
        arrivals.freed(this, exchange);
    }

    /// How long the engine may wait before it looks at the deadlines and the arrivals again.
    long waitNanos() {
        return Math.min(sweepNanos(), arrivals.waitNanosMax(this));
    }

    private long sweepNanos() {
        return backingOff > 0 ? SWEEP_BACKING_OFF_NANOS : SWEEP_NANOS;
    }

    /// Begins what has come due.
    void proceed() {
        arrivals.proceed(this);
    }

    /// Looks at all deadlines, if it is time.
    void sweep() {
        if (nowNanos - sweptNanos < sweepNanos()) {
            return;
        }
        sweptNanos = nowNanos;
        for (Exchange exchange : exchanges) {
            if (nowNanos - exchange.deadlineNanos >= 0) {
                expired(exchange);
            }
        }
    }

    private void expired(Exchange exchange) {
        switch (exchange.state) {
            case CONNECTING -> fail(exchange, connectTimeout(exchange));
            case OPENING -> notOpened(exchange);
            case ANSWERING -> fail(exchange, ErrorKind.TIMEOUT);
            case PARTING -> part(exchange);
            case BACKING_OFF -> {
                backingOff--;
                exchange.state = State.VACANT;
                freed(exchange);
            }
            case VACANT, READY -> {}
        }
    }

    private static ErrorKind connectTimeout(Exchange exchange) {
        return exchange.standsNanos == 0 ? ErrorKind.CONNECT_TIMEOUT : ErrorKind.TLS_TIMEOUT;
    }

    private static ErrorKind connectError(int errno) {
        return switch (Errno.of(errno)) {
            case ECONNREFUSED -> ErrorKind.CONNECT_REFUSED;
            case ETIMEDOUT -> ErrorKind.CONNECT_TIMEOUT;
            case ECONNRESET, ECONNABORTED, EPIPE -> ErrorKind.CONNECT_RESET;
            case ENETUNREACH, EHOSTUNREACH -> ErrorKind.CONNECT_UNREACHABLE;
            case EADDRNOTAVAIL, EADDRINUSE -> ErrorKind.CONNECT_NO_PORT;
            case EMFILE, ENFILE -> ErrorKind.CONNECT_NO_DESCRIPTOR;
            default -> ErrorKind.CONNECT_OTHER;
        };
    }

    private static ErrorKind answerError(int errno) {
        return switch (Errno.of(errno)) {
            case ETIMEDOUT -> ErrorKind.TIMEOUT;
            case EPIPE -> ErrorKind.CLOSED;
            default -> ErrorKind.RESET;
        };
    }
}
