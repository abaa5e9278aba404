package wallfinder.lab.agent;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import wallfinder.experiment.Arrival;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;

/// The outcome of connections that several hosts held at the same time.
final class MergedHold {
    private static final int FAULTS_MAX = 8;

    private final List<LoadOutcome.Held> loads;

    private MergedHold(List<LoadOutcome.Held> loads) {
        this.loads = loads;
    }

    /// @param loads at least one
    /// @param parts who held them
    /// @param connections of all that were asked for
    /// @param sockets the kernels' count at the generators' end, or a negative number if unknown
    static LoadOutcome.Held of(
            List<LoadOutcome.Held> loads,
            List<LoadPart> parts,
            int connections,
            Arrival arrival,
            long sockets) {
        MergedCounts counts = new MergedCounts(loads);
        return new LoadOutcome.Held(
                counts.engine(parts),
                connections,
                counts.loop(arrival),
                counts.seconds(),
                counts.exchanges(),
                counts.failures(),
                counts.times(),
                new MergedHold(loads).hold(sockets));
    }

    private LoadOutcome.Hold hold(long sockets) {
        LoadOutcome.Hold first = loads.getFirst().hold();
        return new LoadOutcome.Hold(
                first.exchange(),
                first.messageBytes(),
                first.intervalSeconds(),
                MergedCounts.added(loads.stream().map(l -> l.hold().fates())),
                sum(LoadOutcome.Hold::reopened),
                longest(LoadOutcome.Hold::openingSeconds),
                sum(LoadOutcome.Hold::heldMessages),
                heldSeconds(),
                loads.stream().mapToDouble(l -> l.hold().heldCpuSeconds()).sum(),
                MergedCounts.histogram(loads.stream().map(l -> l.hold().firstAnswerNanos())),
                first.stateBytes(),
                sum(LoadOutcome.Hold::rssBytes),
                loads.stream().flatMap(l -> l.hold().faults().stream()).limit(FAULTS_MAX).toList(),
                sockets < 0 ? List.of() : List.of(new LoadOutcome.Sockets(End.CLIENT, sockets)));
    }

    /// The time in which all together would have answered their messages at the sum of their rates.
    /// Each counts from the moment when its own connections have opened.
    private double heldSeconds() {
        double perSecond =
                loads.stream()
                        .map(LoadOutcome.Held::hold)
                        .filter(hold -> hold.heldSeconds() > 0)
                        .mapToDouble(hold -> hold.heldMessages() / hold.heldSeconds())
                        .sum();
        return perSecond > 0
                ? sum(LoadOutcome.Hold::heldMessages) / perSecond
                : longest(LoadOutcome.Hold::heldSeconds);
    }

    private long sum(ToLongFunction<LoadOutcome.Hold> count) {
        return loads.stream().map(LoadOutcome.Held::hold).mapToLong(count).sum();
    }

    /// `NaN` if it is unknown of one.
    private double longest(ToDoubleFunction<LoadOutcome.Hold> seconds) {
        return loads.stream().map(LoadOutcome.Held::hold).mapToDouble(seconds).reduce(0, Math::max);
    }
}
