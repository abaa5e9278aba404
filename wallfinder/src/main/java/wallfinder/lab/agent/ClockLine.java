package wallfinder.lab.agent;

import java.util.Comparator;
import java.util.List;

/// The difference of two hosts' clocks as a line over time: an offset and a drift. It goes through
/// the best round trip of the beginning and the best of the end. The others show whether it holds
/// between them.
///
/// @param zeroNanos where the offset counts, by our clock
/// @param offsetNanos the other clock minus ours
/// @param drift by how much the offset grows in a nanosecond
/// @param boundNanos how far the line may be from the true difference
/// @param strayNanos how far the other round trips contradict the line
record ClockLine(
        double zeroNanos, double offsetNanos, double drift, double boundNanos, double strayNanos) {
    /// The round trips of the beginning, and of the end.
    static final int BATCH = 8;

    /// In a shorter time, no clock drifts by more than the round trips are wrong.
    private static final double DRIFT_SECONDS_MIN = 1;

    /// @param trips in the order of time, at least one
    static ClockLine of(List<RoundTrip> trips) {
        List<RoundTrip> ends = trips.subList(Math.max(0, trips.size() - BATCH), trips.size());
        RoundTrip first = best(trips.subList(0, Math.min(BATCH, trips.size())));
        RoundTrip last = best(ends);
        double span = last.middleNanos() - first.middleNanos();
        if (span < DRIFT_SECONDS_MIN * 1e9) {
            RoundTrip one = best(trips);
            return new ClockLine(one.middleNanos(), one.offsetNanos(), 0, one.boundNanos(), 0)
                    .checkedBy(trips);
        }
        double drift = (last.offsetNanos() - first.offsetNanos()) / span;
        double bound = Math.max(first.boundNanos(), last.boundNanos());
        return new ClockLine(first.middleNanos(), first.offsetNanos(), drift, bound, 0)
                .checkedBy(trips);
    }

    private static RoundTrip best(List<RoundTrip> trips) {
        return trips.stream().min(Comparator.comparingDouble(RoundTrip::boundNanos)).orElseThrow();
    }

    /// A round trip that contradicts the line makes the bound larger.
    private ClockLine checkedBy(List<RoundTrip> trips) {
        double stray =
                trips.stream()
                        .mapToDouble(trip ->
                                Math.abs(trip.offsetNanos() - offsetAt(trip.middleNanos()))
                                        - trip.boundNanos()
                                        - boundNanos)
                        .max()
                        .orElse(0);
        double more = Math.max(0, stray);
        return new ClockLine(zeroNanos, offsetNanos, drift, boundNanos + more, more);
    }

    private double offsetAt(double oursNanos) {
        return offsetNanos + drift * (oursNanos - zeroNanos);
    }

    /// The other host's time of one of our instants.
    long theirsNanos(long oursNanos) {
        return oursNanos + Math.round(offsetAt(oursNanos));
    }

    /// Our time of an instant of the other host.
    long oursNanos(long theirsNanos) {
        double since = theirsNanos - offsetNanos - zeroNanos;
        return Math.round(zeroNanos + since / (1 + drift));
    }
}
