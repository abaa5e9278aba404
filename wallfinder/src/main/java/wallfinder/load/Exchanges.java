package wallfinder.load;

import java.util.Arrays;
import java.util.function.LongSupplier;
import wallfinder.linux.Errno;
import wallfinder.load.Exchange.State;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;

/// The exchanges of one thread: takes the events of the engine and decides what happens next.
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
///    +---------------------------------------- CLOSING                 |
///    |          the server closed, or waited long enough               |
///    +-----------------------------------------------------------------+
/// ```
///
/// In an open loop a connection is OPENING before it is READY, without an exchange. If that fails,
/// the next due request connects again; the rate limits how often.
///
/// After an answer the server has some time to close first, so that TIME_WAIT is on its side. If a
/// used connection closes soon after a request and before the first byte of its answer, the server
/// has ended it between two requests, and the exchange continues on a new connection.
final class Exchanges implements Events {
    /// A close that crosses a request on its way arrives within a round trip.
    private static final long CROSSING_NANOS_MAX = 1_000_000_000L;

    private final Engine engine;
    private final Requests requests;
    private final Uploads uploads;
    private final Arrivals arrivals;
    private final Tally tally;
    private final LongSupplier clock;
    private final boolean keepalive;
    private final long connectNanosMax;
    private final long firstByteNanosMax;
    private final long wholeNanosMax;
    private final Exchange[] exchanges;
    private final Deadlines deadlines = new Deadlines();
    private final Pauses pauses;
    private final OpeningPace openingPace = new OpeningPace();
    private long remaining;
    private long nowNanos;
    private long waitingNanos;
    long lastAnswerNanos;
    private int backingOff;
    private int outstanding;
    private int opening;
    private long abandoned;
    private boolean stopping;

    /// How many connections [#start] has begun.
    private int started;

    /// @param requestsMax the largest number of exchanges that begin
    /// @param clock nanoseconds since an arbitrary time
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
        pauses = tally.pauses;
        this.clock = clock;
        keepalive = plan.keepalive();
        connectNanosMax = LoadPlan.nanos(plan.timeouts().connect());
        firstByteNanosMax = LoadPlan.nanos(plan.timeouts().firstByte());
        wholeNanosMax = LoadPlan.nanos(plan.timeouts().whole());
        remaining = requestsMax;
        uploads = new Uploads(engine, this, deadlines);
        FailureKinds.load();
        exchanges = new Exchange[connections];
        BodyText body = BodyText.of(plan.expect());
        Arrays.setAll(exchanges, slot -> new Exchange(slot, plan.mix().cookies(), body));
    }

    int size() {
        return exchanges.length;
    }

    Exchange get(int slot) {
        return exchanges[slot];
    }

    int beginnable() {
        return (int) Math.min(exchanges.length, remaining);
    }

    /// The time of the last clock reading.
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

    long clockNanos() {
        return clock.getAsLong();
    }

    /// Begins the next connections, a few at a time, so that events of the first are seen before
    /// the last is opened. This takes time and is not counted as a pause.
    void start() {
        if (!starting()) {
            return;
        }
        boolean open = arrivals.paced() && keepalive;
        long most = openingPace.next(tally.answered);
        for (long i = 0; i < most && starting(); i++) {
            Exchange exchange = exchanges[started++];
            if (open) {
                open(exchange);
            } else {
                arrivals.freed(this, exchange);
            }
        }
        pauses.start(clock.getAsLong());
    }

    private boolean starting() {
        return started < exchanges.length && !stopping;
    }

    /// Begins no more exchanges than are due by now.
    void stop() {
        stopping = true;
        pauses.stop();
        arrivals.stop(nowNanos);
    }

    /// Requests that are due but have not begun count as in flight at the end.
    void end() {
        long waiting = Math.min(arrivals.waiting(nowNanos), remaining);
        tally.neverSent(waiting);
        abandoned += waiting;
    }

    /// See [Arrivals#scheduledNanos].
    long scheduledNanos() {
        return arrivals.scheduledNanos();
    }

    /// Connections that are not established yet and have no exchange.
    int opening() {
        return opening + exchanges.length - started;
    }

    /// Exchanges without an answer because the load was stopped.
    long inFlight() {
        return outstanding + abandoned;
    }

    boolean done() {
        return outstanding == 0 && (stopping || remaining == 0) && !arrivals.pending();
    }

    /// Begins the next exchange of a free connection, due now. If no requests are left, closes the
    /// connection, so that another one may take its place in the server.
    void begin(Exchange exchange) {
        if (!stopping && remaining > 0) {
            begin(exchange, nowNanos);
        } else if (!stopping && exchange.state == State.READY) {
            vacate(exchange);
        }
    }

    void begin(Exchange exchange, long dueNanos) {
        remaining--;
        outstanding++;
        tally.begun++;
        exchange.dueNanos = dueNanos;
        exchange.wholeDeadlineNanos = nowNanos + wholeNanosMax;
        requests.next(exchange);
        if (exchange.state == State.READY) {
            sending(exchange);
            send(exchange);
        } else {
            connect(exchange);
        }
    }

    private void send(Exchange exchange) {
        if (exchange.bodyLength > 0) {
            uploads.begin(exchange);
            return;
        }
        int result = engine.send(exchange.slot, exchange.requestAddress, exchange.requestLength);
        if (result < 0) {
            sendFailed(exchange.slot, -result);
        }
    }

    /// A request was due, and no connection became free in time.
    void missed(long dueNanos) {
        remaining--;
        tally.neverSent(1);
        tally.failed(ErrorKind.NO_CONNECTION, ErrorPhase.WAITING, nowNanos - dueNanos);
    }

    private void open(Exchange exchange) {
        exchange.state = State.OPENING;
        exchange.first = true;
        exchange.connectNanos = clock.getAsLong();
        deadlines.until(exchange, nowNanos + Math.min(connectNanosMax, wholeNanosMax));
        opening++;
        if (engine.connect(exchange.slot, 0, 0) < 0) {
            notOpened(exchange);
        }
    }

    private void notOpened(Exchange exchange) {
        opening--;
        engine.disconnect(exchange.slot);
        exchange.state = State.VACANT;
        arrivals.freed(this, exchange);
    }

    private void connect(Exchange exchange) {
        exchange.state = State.CONNECTING;
        exchange.first = true;
        exchange.connectNanos = clock.getAsLong();
        deadlines.within(exchange, nowNanos + connectNanosMax);
        int length = exchange.bodyLength == 0 ? exchange.requestLength : 0;
        int result = engine.connect(exchange.slot, exchange.requestAddress, length);
        if (result < 0) {
            fail(exchange, FailureKinds.connecting(-result));
        }
    }

    private void sending(Exchange exchange) {
        exchange.state = State.ANSWERING;
        exchange.reset = false;
        exchange.sentNanos = nowNanos;
        deadlines.within(exchange, nowNanos + firstByteNanosMax);
        exchange.parser.start(exchange.head);
    }

    @Override
    public void connected(int slot) {
        Exchange exchange = exchanges[slot];
        tally.connected(exchange.connectNanos, nowNanos);
        if (exchange.state == State.OPENING) {
            opening--;
            exchange.state = State.READY;
            arrivals.freed(this, exchange);
        } else {
            sending(exchange);
            if (exchange.bodyLength > 0) {
                uploads.begin(exchange);
            }
        }
    }

    @Override
    public void partSent(int slot) {
        Exchange exchange = exchanges[slot];
        if (exchange.state == State.ANSWERING) {
            uploads.partSent(exchange, nowNanos);
        }
    }

    @Override
    public void received(int slot, long address, int length) {
        Exchange exchange = exchanges[slot];
        tally.bytes += length;
        switch (exchange.state) {
            case ANSWERING -> read(exchange, address, length);
            case READY -> vacate(exchange);
            case VACANT, OPENING, CONNECTING, CLOSING, BACKING_OFF -> {}
        }
    }

    private void read(Exchange exchange, long address, int length) {
        ResponseParser parser = exchange.parser;
        int used = parser.read(address, length);
        if (!parser.ended()) {
            deadlines.until(exchange, exchange.wholeDeadlineNanos);
            uploads.answering(exchange);
            return;
        }
        if (parser.malformed() || used < length) {
            fail(exchange, ErrorKind.MALFORMED);
            return;
        }
        answered(exchange);
        if (Uploads.unfinished(exchange)) {
            free(exchange);
        } else if (keepalive && !parser.closes()) {
            exchange.state = State.READY;
            arrivals.freed(this, exchange);
        } else {
            exchange.state = State.CLOSING;
            deadlines.closing(exchange, nowNanos);
        }
    }

    private void answered(Exchange exchange) {
        tally.answered(exchange, nowNanos);
        exchange.first = false;
        exchange.failures = 0;
        lastAnswerNanos = nowNanos;
        outstanding--;
        arrivals.completed(this);
    }

    @Override
    public void ended(int slot) {
        closed(exchanges[slot], FailureKinds.ended(exchanges[slot]), ErrorKind.CONNECT_RESET);
    }

    @Override
    public void failed(int slot, int errno) {
        closed(exchanges[slot], FailureKinds.answering(errno), FailureKinds.connecting(errno));
    }

    @Override
    public void broken(int slot, ErrorKind kind) {
        closed(exchanges[slot], FailureKinds.broken(exchanges[slot], kind), kind);
    }

    private void closed(Exchange exchange, ErrorKind answering, ErrorKind connecting) {
        switch (exchange.state) {
            case READY -> vacate(exchange);
            case CLOSING -> free(exchange);
            case ANSWERING -> cut(exchange, answering);
            case CONNECTING -> fail(exchange, connecting);
            case OPENING -> notOpened(exchange);
            case VACANT, BACKING_OFF -> {}
        }
    }

    /// Leaves the closing to the server for a while, as with `Connection: close`.
    @Override
    public void ending(int slot) {
        Exchange exchange = exchanges[slot];
        if (exchange.state == State.ANSWERING && exchange.parser.endOfStream()) {
            answered(exchange);
            exchange.state = State.CLOSING;
        }
        switch (exchange.state) {
            case CLOSING -> deadlines.ending(exchange, nowNanos);
            case ANSWERING, READY -> ended(slot);
            case VACANT, OPENING, CONNECTING, BACKING_OFF -> {}
        }
    }

    /// The server may have answered before it closed, so the received bytes decide.
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

    private void cut(Exchange exchange, ErrorKind kind) {
        boolean whole = kind == ErrorKind.CLOSED || Uploads.unfinished(exchange);
        if (whole && exchange.parser.endOfStream()) {
            answered(exchange);
            free(exchange);
        } else if (endedBetweenRequests(exchange, kind)) {
            retry(exchange);
        } else {
            fail(exchange, kind);
        }
    }

    /// Whether the server may have closed a kept connection before it saw the request.
    private boolean endedBetweenRequests(Exchange exchange, ErrorKind kind) {
        return !exchange.first
                && exchange.parser.untouched()
                && kind != ErrorKind.TIMEOUT
                && nowNanos - exchange.sentNanos <= CROSSING_NANOS_MAX;
    }

    private void retry(Exchange exchange) {
        vacate(exchange);
        if (stopping) {
            outstanding--;
            abandoned++;
        } else {
            tally.repeated++;
            connect(exchange);
        }
    }

    private void free(Exchange exchange) {
        vacate(exchange);
        arrivals.freed(this, exchange);
    }

    private void vacate(Exchange exchange) {
        engine.disconnect(exchange.slot);
        Uploads.forget(exchange);
        if (exchange.state != State.CONNECTING) {
            tally.open--;
        }
        exchange.state = State.VACANT;
    }

    private void fail(Exchange exchange, ErrorKind kind) {
        tally.failed(exchange, kind, nowNanos);
        vacate(exchange);
        outstanding--;
        if (arrivals.paced()) {
            arrivals.freed(this, exchange);
        } else {
            exchange.state = State.BACKING_OFF;
            deadlines.backOff(exchange, nowNanos);
            backingOff++;
        }
        arrivals.completed(this);
    }

    /// How long the engine may wait before deadlines and arrivals must be checked again.
    long waitNanos() {
        return starting()
                ? 0
                : Math.min(Deadlines.sweepNanos(backingOff), arrivals.waitNanosMax(this));
    }

    void proceed() {
        start();
        arrivals.proceed(this);
    }

    void sweep() {
        deadlines.sweep(this, nowNanos, Deadlines.sweepNanos(backingOff));
    }

    private void late(Exchange exchange) {
        if (Uploads.overdue(exchange, nowNanos)) {
            uploads.proceed(exchange);
            deadlines.within(exchange, exchange.sentNanos + firstByteNanosMax);
        } else {
            fail(exchange, FailureKinds.timeout(exchange, nowNanos));
        }
    }

    void expired(Exchange exchange) {
        switch (exchange.state) {
            case CONNECTING -> fail(exchange, FailureKinds.unconnected(engine, exchange));
            case OPENING -> notOpened(exchange);
            case ANSWERING -> late(exchange);
            case CLOSING -> free(exchange);
            case BACKING_OFF -> {
                backingOff--;
                exchange.state = State.VACANT;
                arrivals.freed(this, exchange);
            }
            case VACANT, READY -> {}
        }
    }
}
