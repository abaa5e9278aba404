package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// What is told of a load that stopped for a reason that no wall explains.
final class Seen {
    private Seen() {}

    static String tell(Observation observation, Symptoms symptoms) {
        List<String> told = new ArrayList<>();
        LoadOutcome load = observation.load();
        if (!observation.facts().serverWatched()) {
            told.add("server not watched");
        }
        long closed = load.errors().getOrDefault(ErrorKind.CLOSED.word(), 0L);
        if (symptoms.errorsBegin() && closed > load.networkErrors() / 2) {
            told.add("closes accepted connections unanswered (%d times)".formatted(closed));
        } else if (symptoms.errorsBegin()) {
            told.add(
                    "%s of the exchanges failed: %s".formatted(percentOf(symptoms), load.errors()));
        }
        if (symptoms.leavesUnanswered()) {
            told.add(
                    "leaves %d of %d connections without an answer"
                            .formatted(load.inFlight(), load.connections()));
        }
        if (symptoms.stillShare() > 0.1) {
            told.add(
                    "answers nobody in %s of the time"
                            .formatted(Figures.percent(symptoms.stillShare())));
        }
        if (symptoms.slowConnects() > 0) {
            told.add(
                    "%d connects took 0.9 s or more, the steps in which a lost handshake is repeated"
                            .formatted(symptoms.slowConnects()));
        }
        if (symptoms.throughputBends()) {
            told.add(
                    "the mean response time grew from %s alone to %s"
                            .formatted(
                                    Figures.millis(symptoms.unloadedNanos()),
                                    Figures.millis(symptoms.meanNanos())));
        } else if (symptoms.tailJumps()) {
            told.add(
                    "p99 is %s while half of the answers take %s"
                            .formatted(
                                    Figures.millis(symptoms.p99Nanos()),
                                    Figures.millis(symptoms.p50Nanos())));
        }
        return String.join("; ", told);
    }

    private static String percentOf(Symptoms symptoms) {
        return "%.1f %%".formatted(symptoms.errorShare() * 100);
    }
}
