package wallfinder.sampling;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import wallfinder.linux.Sending;
import wallfinder.linux.SockDiag;
import wallfinder.linux.TcpConnection;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Reader;
import wallfinder.observation.SendFigure;

/// The connections to some ports: those with received data that the service has not read yet,
/// `listen[PORT].unread`; those with bytes that Nagle's algorithm holds back,
/// `listen[PORT].heldBack`; and how they send, the figures of [SendFigure]. Many connections stay
/// unread if the service works on a few of them and ignores the others.
///
/// One walk over the kernel's table finds all of this. Samples without a walk repeat the totals and
/// have no levels. Of a connection that was closed, the time since the last walk is missing.
final class ConnectionsReader implements Reader, Paced {
    private static final String TCP_INFO = "sock_diag (tcp_info)";

    /// @param total whether it is a total; a level is only known after a walk
    private record Column(
            Figure figure, String source, boolean total, ToDoubleFunction<Seen> value) {
        static Column level(ListenFigure figure, ToDoubleFunction<Seen> value) {
            return new Column(figure, "sock_diag", false, value);
        }

        static Column total(SendFigure figure, ToDoubleFunction<Senders> value) {
            return new Column(figure, TCP_INFO, true, of -> value.applyAsDouble(of.senders));
        }

        static Column level(SendFigure figure, int level) {
            return new Column(figure, TCP_INFO, false, of -> of.senders.mean(level));
        }
    }

    /// The connections to one port.
    private static final class Seen {
        private final int port;
        private final Senders senders = new Senders();
        private int unread;
        private int heldBack;

        Seen(int port) {
            this.port = port;
        }

        void begin() {
            unread = 0;
            heldBack = 0;
            senders.begin();
        }

        void add(TcpConnection connection) {
            unread += connection.unread() ? 1 : 0;
            heldBack += connection.heldBack() ? 1 : 0;
            Sending sending = connection.sending();
            if (sending != null) {
                senders.add(connection.cookie(), sending);
            }
        }
    }

    private static final List<Column> COLUMNS =
            List.of(
                    Column.level(ListenFigure.UNREAD, of -> of.unread),
                    Column.level(ListenFigure.HELD_BACK, of -> of.heldBack),
                    Column.total(SendFigure.BUSY, Senders::busyMicros),
                    Column.total(SendFigure.WINDOW_LIMITED, Senders::windowLimitedMicros),
                    Column.total(SendFigure.BUFFER_LIMITED, Senders::bufferLimitedMicros),
                    Column.level(SendFigure.ROUND_TRIP, Senders.ROUND_TRIP),
                    Column.level(SendFigure.ROUND_TRIP_MIN, Senders.ROUND_TRIP_MIN),
                    Column.level(SendFigure.WINDOW, Senders.WINDOW),
                    Column.level(SendFigure.WINDOW_MAX, Senders.WINDOW_MAX),
                    Column.level(SendFigure.BUFFER, Senders.BUFFER));

    private final SockDiag diag;
    private final Listeners.Places places;
    private final int[] ports;
    private final List<Seen> seen;
    private final List<Counter> counters;
    private final Pace pace;

    /// @param diag opened in the listeners' namespace; the caller closes it
    ConnectionsReader(SockDiag diag, End end, Listeners.Places places) {
        this(diag, System::nanoTime, end, places);
    }

    ConnectionsReader(SockDiag diag, LongSupplier clock, End end, Listeners.Places places) {
        this.diag = diag;
        this.places = places;
        ports = places.ports().stream().mapToInt(Integer::intValue).toArray();
        seen = IntStream.of(ports).mapToObj(Seen::new).toList();
        pace = Pace.twiceAsOftenIfCheap(clock);
        counters =
                IntStream.of(ports)
                        .boxed()
                        .flatMap(port ->
                                COLUMNS.stream()
                                        .map(column ->
                                                column.figure
                                                        .of(Integer.toString(port))
                                                        .at(end, column.source)))
                        .toList();
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void readInFullNext() {
        pace.force();
    }

    @Override
    public void hurry() {
        pace.hurry();
    }

    @Override
    public void read(double[] values, int from) {
        if (ports.length == 0) {
            return;
        }
        boolean read = pace.run(this::walk);
        for (int i = 0; i < seen.size(); i++) {
            write(seen.get(i), read, values, from + i * COLUMNS.size());
        }
    }

    private void walk() {
        diag.connections(
                ports,
                new SockDiag.Connections() {
                    @Override
                    public void clear() {
                        seen.forEach(Seen::begin);
                    }

                    @Override
                    public void add(TcpConnection connection) {
                        for (Seen one : seen) {
                            if (one.port == connection.port() && isOwn(connection)) {
                                one.add(connection);
                            }
                        }
                    }
                });
        seen.forEach(one -> one.senders.end());
    }

    /// Another service may listen on the same port of another address.
    private boolean isOwn(TcpConnection connection) {
        return places.others().isEmpty() || places.serves(connection.place());
    }

    private static void write(Seen of, boolean read, double[] values, int from) {
        for (int i = 0; i < COLUMNS.size(); i++) {
            Column column = COLUMNS.get(i);
            values[from + i] = column.total || read ? column.value.applyAsDouble(of) : Double.NaN;
        }
    }
}
