package wallfinder.diagnosis;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The workers answer some connections as fast as without load, and let others wait. The answers'
/// mean time need not show that, because most answers are fast. By Little's law, a connection waits
/// for its answer for the connections / the rate of answers, if none of its time goes to errors.
///
/// @param waitNanos for which a connection waits for an answer on average, far longer than alone
/// @param unread the connections with unread requests
/// @param share of the samples in which at least half of the connections had unread requests
record Starvation(double waitNanos, Series unread, double share) {
    /// This share of the connections.
    private static final double UNREAD_SHARE = 0.5;

    /// @return empty if the connections do not wait for longer than without load
    static Optional<Starvation> of(Observation observation, Symptoms symptoms) {
        boolean asksAlways =
                observation.load() instanceof LoadOutcome.Requests load
                        && load.loop() instanceof LoadOutcome.Loop.Closed
                        && !symptoms.errorsBegin();
        return asksAlways
                ? Budget.of(observation)
                        .map(budget -> 1e3 * budget.loaded().responseMicros())
                        .filter(symptoms::bends)
                        .flatMap(wait -> of(wait, observation))
                : Optional.empty();
    }

    private static Optional<Starvation> of(double waitNanos, Observation observation) {
        double most = UNREAD_SHARE * observation.load().connections();
        return observation
                .timeline()
                .all(ListenFigure.UNREAD, End.SERVER)
                .map(unread ->
                        new Starvation(
                                waitNanos,
                                unread,
                                WatchedJudgement.share(unread, count -> count >= most)))
                .max(Comparator.comparingDouble(Starvation::share));
    }

    /// Most connections wait most of the time.
    boolean isProven() {
        return share >= WatchedJudgement.MOST;
    }

    String says(Observation observation) {
        return "%s of the samples show unread requests in at least half of the %d connections"
                .formatted(EvidenceFigures.percent(share), observation.load().connections());
    }

    List<Evidence> evidence(Observation observation, Symptoms symptoms) {
        return List.of(
                new Evidence(
                        new Key.Derived("wait of a connection"),
                        End.CLIENT,
                        Basis.DERIVED,
                        symptoms.unloadedNanos() / 1e3,
                        waitNanos / 1e3,
                        null,
                        "derived by Little's law: connections / answers per second",
                        "a connection waits %s for an answer on average; one alone takes %s"
                                .formatted(
                                        EvidenceFigures.millis(waitNanos),
                                        EvidenceFigures.millis(symptoms.unloadedNanos()))),
                EvidenceFigures.largest(unread, null, says(observation)));
    }
}
