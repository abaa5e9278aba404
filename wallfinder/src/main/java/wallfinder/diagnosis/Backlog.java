package wallfinder.diagnosis;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The length that a listener asks for. It bounds the queue of connections to be accepted and the
/// queue of incomplete handshakes (`inet_csk_reqsk_queue_is_full`,
/// include/net/inet_connection_sock.h).
final class Backlog {
    private static final String SOMAXCONN = "net.core.somaxconn";
    private static final String PRICE = "kernel memory only while connections wait to be accepted";

    /// The kernel's default since Linux 5.4; a remedy raises the length to at least this.
    private static final long LENGTH_MIN = 4096;

    private Backlog() {}

    /// The queue in force is the smaller of the listener's backlog and `net.core.somaxconn`, so the
    /// remedy raises both if both are too small.
    ///
    /// @param wall whose knobs are turned
    static List<Remedy> raised(WallId wall, Observation observation, Experiment experiment) {
        long target = target(observation);
        List<Change> changes = Change.raised(experiment, wall, 0, _ -> target);
        long somaxconn = EvidenceFigures.sysctl(observation, SOMAXCONN, End.SERVER);
        boolean bindsHere = somaxconn > 0 && somaxconn < target;
        if (bindsHere && (!changes.isEmpty() || somaxconn <= inForce(observation))) {
            changes.add(
                    new Change(
                            new Setting.OfSysctl(true, SOMAXCONN),
                            Long.toString(somaxconn),
                            Long.toString(target)));
        }
        return changes.isEmpty() ? List.of() : List.of(new Remedy(List.copyOf(changes), PRICE));
    }

    /// Twice the load's connections, rounded up to a power of two.
    private static long target(Observation observation) {
        long wanted = 2L * observation.load().connections();
        return Math.max(LENGTH_MIN, Long.highestOneBit(Math.max(1, wanted - 1)) << 1);
    }

    private static double inForce(Observation observation) {
        return limit(observation).map(Series::last).orElse(Double.NaN);
    }

    /// The smallest limit of the listeners that dropped something, or of all if none did.
    static Optional<Series> limit(Observation observation) {
        List<Series> known =
                observation
                        .timeline()
                        .all(ListenFigure.LIMIT, End.SERVER)
                        .filter(s -> !Double.isNaN(s.last()))
                        .toList();
        Comparator<Series> byLimit = Comparator.comparingDouble(Series::last);
        return known.stream()
                .filter(s -> dropped(observation, s))
                .min(byLimit)
                .or(() -> known.stream().min(byLimit));
    }

    private static boolean dropped(Observation observation, Series limit) {
        return observation
                .timeline()
                .beside(limit, ListenFigure.DROPS)
                .filter(drops -> drops.growth() > 0)
                .isPresent();
    }

    static List<Advice> advice(Observation observation) {
        long target = target(observation);
        return List.of(
                new Advice(
                        "raise the service's own backlog to " + target + " and restart it", PRICE),
                new Advice(
                        "sysctl -w " + SOMAXCONN + "=" + target,
                        "no effect alone: the queue is the smaller of this and the service's backlog, at the time of listen()"));
    }
}
