package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The length that a listener asks for. It bounds both of its queues, that of connections to be
/// accepted and that of handshakes which are not complete (`inet_csk_reqsk_queue_is_full`,
/// include/net/inet_connection_sock.h).
final class Backlog {
    private static final String SOMAXCONN = "net.core.somaxconn";
    private static final String PRICE = "kernel memory only while connections wait to be accepted";

    /// The kernel's own default since Linux 5.4: what a remedy raises to at least.
    private static final long LENGTH_MIN = 4096;

    private Backlog() {}

    /// The queue in force is the smaller of the listener's backlog and `net.core.somaxconn`: what
    /// is smaller than the target has to be raised, and raising one alone would move nothing.
    ///
    /// @param wall whose knobs are turned
    static List<Remedy> raised(WallId wall, Observation observation, Experiment experiment) {
        List<Change> changes = new ArrayList<>();
        for (ServiceSpec service : experiment.programs()) {
            service.knobs()
                    .forEach((name, knob) -> {
                        if (knob.moves() == wall) {
                            raise(new Setting.OfKnob(service.name(), name), knob, observation)
                                    .ifPresent(changes::add);
                        }
                    });
        }
        long somaxconn =
                EvidenceFigures.number(
                        observation.facts().sysctl(SOMAXCONN, End.SERVER).orElse(""));
        long target = target(observation);
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

    private static Optional<Change> raise(
            Setting.OfKnob setting, Knob knob, Observation observation) {
        long value = EvidenceFigures.number(knob.value());
        long target =
                Math.min(target(observation), knob.max() == null ? Long.MAX_VALUE : knob.max());
        return value >= 0 && value < target
                ? Optional.of(new Change(setting, knob.value(), Long.toString(target)))
                : Optional.empty();
    }

    /// Twice the connections that may come at once, as the next power of two.
    private static long target(Observation observation) {
        long wanted = 2L * observation.load().connections();
        return Math.max(LENGTH_MIN, Long.highestOneBit(Math.max(1, wanted - 1)) << 1);
    }

    private static double inForce(Observation observation) {
        return observation
                .timeline()
                .all(ListenFigure.LIMIT, End.SERVER)
                .mapToDouble(Series::last)
                .min()
                .orElse(Double.NaN);
    }

    static List<Advice> advice(Observation observation) {
        long target = target(observation);
        return List.of(
                new Advice(
                        "raise the service's own backlog to " + target + " and restart it", PRICE),
                new Advice(
                        "sysctl -w " + SOMAXCONN + "=" + target,
                        "none by itself: a listener gets the smaller of both, and only when it starts to listen"));
    }
}
