package wallfinder.diagnosis;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// Describes a load that stopped for a reason that no wall explains.
final class UnexplainedStop {
    /// A service that is stopped for a smaller share of the time is slow, and its latencies show
    /// that.
    private static final double STILL_SHARE_MIN = 0.1;

    private UnexplainedStop() {}

    static String describe(Observation observation, Symptoms symptoms) {
        List<String> phrases = new ArrayList<>();
        LoadOutcome load = observation.load();
        if (!observation.facts().serverWatched()) {
            phrases.add("server not watched");
        }
        if (symptoms.errorsBegin()) {
            boolean bad = 2 * Symptoms.badBegun(load) > load.networkErrors();
            phrases.add(
                    bad
                            ? BadAnswers.describe(load) + " since the load began"
                            : errors(load, symptoms));
        }
        if (symptoms.leavesUnanswered()) {
            phrases.add(
                    "leaves %d of %d connections without an answer for most of the load, or for good"
                            .formatted(symptoms.unanswered(), load.connections()));
        }
        if (symptoms.stillShare() > STILL_SHARE_MIN) {
            phrases.add(
                    "answers nobody in %s of the time"
                            .formatted(EvidenceFigures.percent(symptoms.stillShare())));
        }
        if (symptoms.slowConnects() > 0) {
            phrases.add(
                    "%d connects took 0.9 s or more, the steps in which a lost handshake is repeated"
                            .formatted(symptoms.slowConnects()));
        }
        if (symptoms.surelyBends()) {
            phrases.add(
                    "the mean response time grew from %s alone to %s"
                            .formatted(
                                    EvidenceFigures.millis(symptoms.unloadedNanos()),
                                    EvidenceFigures.millis(symptoms.meanNanos())));
            Growth.of(observation).map(UnexplainedStop::most).ifPresent(phrases::add);
        } else if (symptoms.tailSurelyJumps()) {
            phrases.add(
                    "p99 is %s while half of the answers take %s"
                            .formatted(
                                    EvidenceFigures.millis(symptoms.p99Nanos()),
                                    EvidenceFigures.millis(symptoms.p50Nanos())));
        }
        return String.join("; ", phrases);
    }

    /// Describes the part that grew most.
    private static String most(Growth growth) {
        Share most =
                growth.loaded().shares().stream()
                        .max(Comparator.comparingDouble(growth::micros))
                        .orElseThrow();
        String length = EvidenceFigures.millis(1e3 * growth.micros(most));
        return most.part() == Budget.Part.UNEXPLAINED
                ? "%s of that are not explained: the requests may wait in a queue inside the service"
                        .formatted(length)
                : "in %s of that an answer %s".formatted(length, most.does());
    }

    /// Describes the errors by their main kind.
    static String errors(LoadOutcome load, Symptoms symptoms) {
        long most = load.networkErrors() / 2;
        long closed = load.errors(ErrorKind.CLOSED) + load.errors(ErrorKind.RESET);
        long malformed = load.errors(ErrorKind.MALFORMED);
        long corrupted = load.errors(ErrorKind.CORRUPTED);
        long late = LateAnswers.timedOut(load);
        if (corrupted > most) {
            return "sends back bytes other than those it got (%d times)".formatted(corrupted);
        } else if (closed > most) {
            return "closes %s (%d times)".formatted(closedConnections(load), closed);
        } else if (malformed > most) {
            return "sends something other than an HTTP/1.1 answer (%d times)".formatted(malformed);
        } else if (late > most) {
            return "does not answer before the time-out (%d times)".formatted(late);
        }
        return "%s of the exchanges failed, %s of the connections' time: %s"
                .formatted(
                        percentOf(symptoms.errorShare()),
                        percentOf(symptoms.failedTimeShare()),
                        kinds(load));
    }

    private static String closedConnections(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Held _ -> "connections that are held";
            case LoadOutcome.Requests _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    "accepted connections unanswered";
        };
    }

    private static String kinds(LoadOutcome load) {
        return load.errors().entrySet().stream()
                .map(error -> error.getKey() + " " + error.getValue())
                .collect(joining(", "));
    }

    private static String percentOf(double share) {
        return "%.1f %%".formatted(share * 100);
    }
}
