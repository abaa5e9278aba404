package wallfinder.junit;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/// One measurement under one load.
///
/// @param name unique in its run
/// @param connections how many connections the load used at once
/// @param good how many answers were good
/// @param goodPerSecond the rate of good answers; NaN if a load command does not report it
/// @param errors how many exchanges failed, by kind; kinds without any are left out
/// @param responseOrNull the response times of good answers; null if there were none
/// @param doubts reasons to trust the figures less, by id, with advice
public record Trial(
        String name,
        long connections,
        long good,
        double goodPerSecond,
        Map<String, Long> errors,
        @Nullable Times responseOrNull,
        Diagnosis diagnosis,
        Map<String, String> doubts) {
    /// The doubts of a measurement that shared its CPUs with programs that it knows nothing of.
    private static final List<String> DISTURBED =
            List.of(
                    "busy-host",
                    "noisy-host",
                    "lost-ticks",
                    "generator-paused",
                    "late-generator",
                    "sent-late");

    public Trial {
        errors = Collections.unmodifiableMap(new TreeMap<>(errors));
        doubts = Collections.unmodifiableMap(new TreeMap<>(doubts));
    }

    /// The response times of good answers, from when a request was due to its last byte.
    ///
    /// @throws AssertionFailedError if there was no good answer
    public Times response() {
        if (responseOrNull == null) {
            throw new AssertionFailedError(
                    "there is no response time, because no answer was good: " + figures());
        }
        return responseOrNull;
    }

    /// The doubts that make a missed objective no proof, by id, with advice.
    Map<String, String> disturbances() {
        Map<String, String> disturbances = new TreeMap<>(doubts);
        disturbances.keySet().retainAll(DISTURBED);
        return disturbances;
    }

    /// The figures in one line.
    String figures() {
        return Figures.rate(goodPerSecond)
                + " good answers/s"
                + (responseOrNull == null ? "" : ", p99 " + Figures.time(responseOrNull.p99()))
                + ", errors: "
                + Figures.counts(errors);
    }
}
