package wallfinder.sampling;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Reader;

/// The connections to some ports with received data that the service has not read yet:
/// `listen[PORT].unread`. Many connections stay unread if the service works on a few of them and
/// ignores the others.
///
/// It counts as often as [PortsReader], because this also walks the kernel's table. Other samples
/// have `NaN`.
final class UnreadReader implements Reader, Paced {
    private final SockDiag diag;
    private final int[] ports;
    private final double[] counts;
    private final List<Counter> counters;
    private final Pace pace;

    /// @param diag opened in the listeners' namespace; the caller closes it
    UnreadReader(SockDiag diag, End end, int... ports) {
        this(diag, System::nanoTime, end, ports);
    }

    UnreadReader(SockDiag diag, LongSupplier clock, End end, int... ports) {
        this.diag = diag;
        this.ports = ports.clone();
        counts = new double[ports.length];
        pace = Pace.oftenIfCheap(clock, PortsReader.MANY_NANOS);
        counters =
                Arrays.stream(ports)
                        .mapToObj(port -> ListenFigure.UNREAD.of(port).at(end, "sock_diag"))
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
            boolean read = pace.run(() -> diag.unread(ports, counts));
            for (int i = 0; i < counts.length; i++) {
                values[from + i] = read ? counts[i] : Double.NaN;
            }
        }
    }
}
