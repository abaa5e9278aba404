package wallfinder.sampling;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Sending;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;
import wallfinder.observation.SendFigure;

/// How the connections to some ports send: the figures of [SendFigure].
///
/// It walks over the kernel's table as often as [PortsReader]. Other samples repeat the totals and
/// have no levels. Of a connection that was closed, the time since the last walk is missing.
final class SendReader implements Reader, Paced {
    private static final String SOURCE = "sock_diag (tcp_info)";

    /// @param total whether it is a total; a level is only known after a walk
    private record Column(SendFigure figure, boolean total, ToDoubleFunction<Senders> value) {
        static Column level(SendFigure figure, int level) {
            return new Column(figure, false, of -> of.mean(level));
        }
    }

    private static final List<Column> COLUMNS =
            List.of(
                    new Column(SendFigure.BUSY, true, Senders::busyMicros),
                    new Column(SendFigure.WINDOW_LIMITED, true, Senders::windowLimitedMicros),
                    new Column(SendFigure.BUFFER_LIMITED, true, Senders::bufferLimitedMicros),
                    Column.level(SendFigure.ROUND_TRIP, Senders.ROUND_TRIP),
                    Column.level(SendFigure.ROUND_TRIP_MIN, Senders.ROUND_TRIP_MIN),
                    Column.level(SendFigure.WINDOW, Senders.WINDOW),
                    Column.level(SendFigure.WINDOW_MAX, Senders.WINDOW_MAX),
                    Column.level(SendFigure.BUFFER, Senders.BUFFER));

    private final SockDiag diag;
    private final int[] ports;
    private final Senders[] senders;
    private final List<Counter> counters;
    private final Pace pace;

    /// @param diag opened in the listeners' namespace; the caller closes it
    SendReader(SockDiag diag, End end, int... ports) {
        this(diag, System::nanoTime, end, ports);
    }

    SendReader(SockDiag diag, LongSupplier clock, End end, int... ports) {
        this.diag = diag;
        this.ports = ports.clone();
        senders = IntStream.of(ports).mapToObj(_ -> new Senders()).toArray(Senders[]::new);
        pace = Pace.oftenIfCheap(clock, PortsReader.MANY_NANOS);
        counters =
                IntStream.of(ports)
                        .boxed()
                        .flatMap(port ->
                                COLUMNS.stream()
                                        .map(column -> column.figure.of(port).at(end, SOURCE)))
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
        for (int i = 0; i < senders.length; i++) {
            write(senders[i], read, values, from + i * COLUMNS.size());
        }
    }

    private void walk() {
        diag.senders(
                ports,
                new SockDiag.Senders() {
                    @Override
                    public void clear() {
                        Stream.of(senders).forEach(Senders::begin);
                    }

                    @Override
                    public void add(int port, long cookie, Sending sending) {
                        Senders of = of(port);
                        if (of != null) {
                            of.add(cookie, sending);
                        }
                    }
                });
        Stream.of(senders).forEach(Senders::end);
    }

    private @Nullable Senders of(int port) {
        int at = 0;
        while (at < ports.length && ports[at] != port) {
            at++;
        }
        return at < ports.length ? senders[at] : null;
    }

    private static void write(Senders of, boolean read, double[] values, int from) {
        for (int i = 0; i < COLUMNS.size(); i++) {
            Column column = COLUMNS.get(i);
            values[from + i] = column.total || read ? column.value.applyAsDouble(of) : Double.NaN;
        }
    }
}
