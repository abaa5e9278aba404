package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wallfinder.linux.Listener;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Reader;

/// The accept queues of some ports: `listen[PORT].queue`, `.limit` and `.drops`.
///
/// If several sockets listen on one port (SO_REUSEPORT, or two addresses), queue and limit are
/// those of the fullest socket, because that one drops first. The drops are the sum over all.
final class ListenReader implements Reader {
    private final SockDiag diag;
    private final int[] ports;
    private final List<Counter> counters;

    /// @param diag opened in the listeners' namespace; the caller closes it
    ListenReader(SockDiag diag, End end, int... ports) {
        this.diag = diag;
        this.ports = ports.clone();
        List<Counter> all = new ArrayList<>();
        for (int port : ports) {
            all.add(ListenFigure.QUEUE.of(port).at(end, "sock_diag"));
            all.add(ListenFigure.LIMIT.of(port).at(end, "sock_diag"));
            all.add(ListenFigure.DROPS.of(port).at(end, "sock_diag"));
        }
        counters = List.copyOf(all);
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        Arrays.fill(values, from, from + counters.size(), Double.NaN);
        for (Listener listener : diag.listeners()) {
            for (int i = 0; i < ports.length; i++) {
                if (ports[i] == listener.port()) {
                    add(listener, values, from + 3 * i);
                }
            }
        }
    }

    private static void add(Listener listener, double[] values, int at) {
        double drops = Double.isNaN(values[at + 2]) ? 0 : values[at + 2];
        values[at + 2] = drops + listener.drops();
        double fullest = (values[at] + 1) / (values[at + 1] + 1);
        double fullness = (listener.queue() + 1.0) / (listener.limit() + 1.0);
        if (!(fullness <= fullest)) {
            values[at] = listener.queue();
            values[at + 1] = listener.limit();
        }
    }
}
