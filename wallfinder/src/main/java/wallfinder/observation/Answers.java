package wallfinder.observation;

import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/// The answers by status. The number of bad answers is among the errors.
///
/// @param statuses complete answers by status; empty if they were not counted
/// @param badStatuses answers with an unexpected status
/// @param badNanos the response times of bad answers
/// @param goodAlone good answers to requests without load, before it or after it
/// @param badAlone bad answers to such requests
public record Answers(
        SortedMap<String, Long> statuses,
        SortedMap<String, Long> badStatuses,
        Histogram badNanos,
        long goodAlone,
        long badAlone) {
    public static final Answers NONE =
            new Answers(new TreeMap<>(), new TreeMap<>(), new Histogram(3), 0, 0);

    /// Too Many Requests (RFC 6585, section 4).
    public static final int TOO_MANY = 429;

    private static final double MOSTLY = 0.9;

    /// The share of bad answers among those that the load did not cause.
    public double badShareAlone() {
        long all = goodAlone + badAlone;
        return all > 0 && !usedUp() ? (double) badAlone / all : 0;
    }

    /// Whether the load used up a limit of requests in some minutes or hours: the service gave good
    /// answers at first, and now rejects a single request, too.
    public boolean usedUp() {
        long bad = badStatuses.values().stream().mapToLong(Long::longValue).sum();
        long all = statuses.values().stream().mapToLong(Long::longValue).sum();
        return goodAlone == 0 && all > bad && bad(TOO_MANY) > 0 && bad(TOO_MANY) >= MOSTLY * bad;
    }

    /// Whether most answers are bad without load. A load then measures nothing useful.
    public boolean mostlyBadAlone() {
        return badShareAlone() >= 0.5;
    }

    /// The number of answers with an unexpected status.
    public long bad(int status) {
        return badStatuses.getOrDefault(Integer.toString(status), 0L);
    }
}
