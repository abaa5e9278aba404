package wallfinder.sampling;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Reader;

/// The connections to some ports with received data that the service has not read yet:
/// `listen[PORT].unread`. Many connections stay unread if the service works on a few of them and
/// ignores the others. And the connections with bytes that Nagle's algorithm holds back:
/// `listen[PORT].heldBack`.
///
/// It counts as often as [PortsReader], because this also walks the kernel's table. Other samples
/// have `NaN`.
final class PendingReader implements Reader, Paced {
    private final SockDiag diag;
    private final int[] ports;
    private final double[] unread;
    private final double[] heldBack;
    private final List<Counter> counters;
    private final Pace pace;

    /// @param diag opened in the listeners' namespace; the caller closes it
    PendingReader(SockDiag diag, End end, int... ports) {
        this(diag, System::nanoTime, end, ports);
    }

    PendingReader(SockDiag diag, LongSupplier clock, End end, int... ports) {
        this.diag = diag;
        this.ports = ports.clone();
        unread = new double[ports.length];
        heldBack = new double[ports.length];
        pace = Pace.oftenIfCheap(clock, PortsReader.MANY_NANOS);
        counters =
                Arrays.stream(ports)
                        .boxed()
                        .flatMap(port ->
                                Stream.of(ListenFigure.UNREAD, ListenFigure.HELD_BACK)
                                        .map(figure -> figure.of(port).at(end, "sock_diag")))
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
    public void read(double[] values, int from) {
        if (ports.length > 0) {
            boolean read = pace.run(() -> diag.pending(ports, unread, heldBack));
            for (int i = 0; i < ports.length; i++) {
                values[from + 2 * i] = read ? unread[i] : Double.NaN;
                values[from + 2 * i + 1] = read ? heldBack[i] : Double.NaN;
            }
        }
    }
}
