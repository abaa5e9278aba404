package wallfinder.sampling;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import wallfinder.linux.SockDiag;
import wallfinder.linux.UnixConnection;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// The connections of a service to other programs of its host over unix sockets, such as those of
/// nginx to PHP-FPM.
///
/// The pace is that of [PortsReader], and slower until the service has its first such connection.
/// Afterwards the pace stays, because a slower one while there is none would give the times with
/// connections too much weight. All figures are `NaN` if a process of the service hides its
/// descriptors.
final class UnixDependenciesReader implements Reader, Paced {
    private static final String SOURCE = "unix_diag, /proc/PID/fd";

    private final SockDiag diag;
    private final OwnSockets own;
    private final LongSupplier clock;
    private final Pace pace;
    private final Pace paceBefore;
    private boolean anySoFar;
    private final UnixWaiters waiters = new UnixWaiters();
    private final UnixDestinations destinations = new UnixDestinations();
    private final DependencyColumns columns;
    private final Set<String> ownNames;

    /// @param diag opened in the namespace of this end; the caller closes it
    /// @param own this reader closes it
    /// @param ownNames of sockets on which the service itself listens, see [TcpDestinations]
    UnixDependenciesReader(SockDiag diag, End end, OwnSockets own, Set<String> ownNames) {
        this(diag, end, own, ownNames, System::nanoTime);
    }

    UnixDependenciesReader(
            SockDiag diag, End end, OwnSockets own, Set<String> ownNames, LongSupplier clock) {
        this.diag = diag;
        this.own = own;
        this.ownNames = ownNames;
        this.clock = clock;
        pace = Pace.oftenIfCheap(clock);
        paceBefore = Pace.cheaply(clock);
        columns = new DependencyColumns(end, SOURCE, destinations, true);
    }

    @Override
    public List<Counter> counters() {
        return columns.counters();
    }

    @Override
    public List<Counter> found() {
        return columns.found();
    }

    @Override
    public void readInFullNext() {
        pace.force();
        paceBefore.force();
    }

    @Override
    public void hurry() {
        pace.hurry();
        anySoFar = true; // a hurried measurement is over before the slower pace reads again
    }

    @Override
    public void read(double[] values, int from) {
        boolean counted = (anySoFar ? pace : paceBefore).run(this::count);
        columns.write(counted && !own.hidden(), values, from);
    }

    private void count() {
        List<UnixConnection> its = connections();
        anySoFar |= !its.isEmpty();
        destinations.count(
                its, anySoFar ? waiters.look(own.processes()) : Map.of(), clock.getAsLong());
    }

    private List<UnixConnection> connections() {
        List<UnixConnection> all = diag.unixConnections();
        Set<Long> its = own.of(all.stream().map(UnixConnection::inode).collect(Collectors.toSet()));
        return all.stream()
                .filter(one -> its.contains(one.inode()) && !ownNames.contains(one.name()))
                .toList();
    }

    /// See [UnloadedLook].
    void beginUnloaded() {
        boolean none = connections().isEmpty();
        waiters.beginUnloaded(none ? List.of() : own.processes());
    }

    /// A thread that waits for data from a socket now and at [#beginUnloaded] waits for work.
    void endUnloaded() {
        waiters.endUnloaded(own.processes());
    }

    @Override
    public void close() {
        own.close();
    }
}
