package wallfinder.sampling;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import wallfinder.linux.UnixConnection;

/// The destinations of connections between unix sockets, by the name of the listener.
///
/// The kernel does not say whether such a connection waits for an answer. Two things show it. A
/// thread of the service waits for data from it, as the drivers of databases do in a service with a
/// thread for each request. Or the service opens a connection for each request: nginx in front of
/// PHP-FPM, or a proxy in front of gunicorn. There each connection is a request under way. This
/// holds if the connections to a destination live for a few seconds at most. Other destinations are
/// left out, such as the pool of an event loop, or the system's log.
final class UnixDestinations implements Destinations {
    /// An answer seldom takes longer, and a pool keeps its connections longer.
    private static final double LIFE_SECONDS_MAX = 5;

    private final Map<String, Calls> byName = new TreeMap<>();
    private long lastNanos;

    /// The connections to one destination.
    private static final class Calls {
        private Set<Long> open = Set.of();
        private double openSeconds;
        private long ended;
        private double waiting;
        private boolean waitedFor;

        void count(Set<Long> now, Map<Long, Double> waiters, double seconds) {
            waiting = now.stream().mapToDouble(one -> waiters.getOrDefault(one, 0.0)).sum();
            waitedFor |= waiting > 0;
            openSeconds += open.size() * seconds;
            ended += open.stream().filter(one -> !now.contains(one)).count();
            open = now;
        }

        boolean isKnown() {
            return waitedFor || isOnePerRequest();
        }

        double busy() {
            return waitedFor ? waiting : open.size();
        }

        /// The time that all were open, divided by the number of those that ended.
        private boolean isOnePerRequest() {
            return ended > 0 && openSeconds <= LIFE_SECONDS_MAX * ended;
        }
    }

    /// Counts the connections of the service instead of those before.
    ///
    /// @param waiters how many of its threads wait for data from a socket, by its number
    void count(List<UnixConnection> all, Map<Long, Double> waiters, long nanos) {
        Map<String, Set<Long>> now = new HashMap<>();
        for (UnixConnection one : all) {
            now.computeIfAbsent("unix:" + one.name(), _ -> new HashSet<>()).add(one.inode());
        }
        now.keySet().forEach(name -> byName.computeIfAbsent(name, _ -> new Calls()));
        double seconds = (nanos - lastNanos) / 1e9;
        byName.forEach(
                (name, calls) -> calls.count(now.getOrDefault(name, Set.of()), waiters, seconds));
        lastNanos = nanos;
    }

    @Override
    public List<String> most(int limit) {
        return byName.entrySet().stream()
                .filter(entry -> entry.getValue().isKnown())
                .sorted(Comparator.comparingInt(entry -> -entry.getValue().open.size()))
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public int connected(String name) {
        Calls calls = byName.get(name);
        return calls == null ? 0 : calls.open.size();
    }

    @Override
    public double busy(String name) {
        Calls calls = byName.get(name);
        return calls == null ? 0 : calls.busy();
    }

    @Override
    public String kind() {
        return "unix";
    }

    @Override
    public double unseen() {
        return byName.values().stream().allMatch(calls -> calls.open.isEmpty()) ? 0 : Double.NaN;
    }
}
