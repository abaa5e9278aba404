package wallfinder.sampling;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import wallfinder.linux.Listener;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Reader;

/// The accept queues of some ports: `listen[PORT].queue`, `.limit`, `.drops`, `.sockets` and
/// `.dropping`.
///
/// If several sockets listen on one port (SO_REUSEPORT, or two addresses), queue and limit are
/// those of the fullest socket, because that one drops first. The drops are the sum over all.
final class ListenReader implements Reader {
    private static final List<ListenFigure> FIGURES =
            List.of(
                    ListenFigure.QUEUE,
                    ListenFigure.LIMIT,
                    ListenFigure.DROPS,
                    ListenFigure.SOCKETS,
                    ListenFigure.DROPPING,
                    ListenFigure.QUEUED);

    /// So many sockets it remembers; servers with a socket for each CPU have far fewer.
    private static final int SOCKETS_MAX = 4_096;

    private final SockDiag diag;
    private final int[] ports;
    private final Set<InetSocketAddress> others;
    private final List<Counter> counters;
    private final Map<Long, Long> firstDrops = new HashMap<>();

    /// @param diag opened in the listeners' namespace; the caller closes it
    ListenReader(SockDiag diag, End end, Listeners.Places places) {
        this.diag = diag;
        others = places.others();
        ports = places.ports().stream().mapToInt(Integer::intValue).toArray();
        List<Counter> all = new ArrayList<>();
        for (int port : ports) {
            FIGURES.forEach(figure -> all.add(figure.of(port).at(end, "sock_diag")));
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
                if (ports[i] == listener.port() && !others.contains(Listeners.place(listener))) {
                    add(listener, values, from + FIGURES.size() * i);
                }
            }
        }
    }

    private void add(Listener listener, double[] values, int at) {
        values[at + 2] = orZero(values[at + 2]) + listener.drops();
        values[at + 3] = orZero(values[at + 3]) + 1;
        values[at + 4] = orZero(values[at + 4]) + (dropping(listener) ? 1 : 0);
        values[at + 5] = orZero(values[at + 5]) + listener.queue();
        double fullest = (values[at] + 1) / (values[at + 1] + 1);
        double fullness = (listener.queue() + 1.0) / (listener.limit() + 1.0);
        if (!(fullness <= fullest)) {
            values[at] = listener.queue();
            values[at + 1] = listener.limit();
        }
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private boolean dropping(Listener listener) {
        if (firstDrops.size() < SOCKETS_MAX) {
            firstDrops.putIfAbsent(listener.inode(), listener.drops());
        }
        return listener.drops() > firstDrops.getOrDefault(listener.inode(), listener.drops());
    }
}
