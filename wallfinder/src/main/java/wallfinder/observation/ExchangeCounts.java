package wallfinder.observation;

/// How many exchanges a load had.
///
/// @param sent exchanges begun in the measured time, failed connects included; those in flight at
///   its start count as begun then, so that `sent = answered + networkErrors() + inFlight`
/// @param inFlight exchanges that were not complete when the measurement ended
/// @param connectionsOpened successful connects
/// @param outsideGood see [Outside]
/// @param outsideBad see [Outside]
/// @param outsideNanos see [Outside]
public record ExchangeCounts(
        long sent,
        long answered,
        long inFlight,
        long bytesReceived,
        long connectionsOpened,
        double outsideGood,
        double outsideBad,
        double outsideNanos) {
    public ExchangeCounts {
        // A recording of an older version has none of them.
        outsideGood = Double.isNaN(outsideGood) ? 0 : outsideGood;
        outsideBad = Double.isNaN(outsideBad) ? 0 : outsideBad;
        outsideNanos = Double.isNaN(outsideNanos) ? 0 : outsideNanos;
    }

    public ExchangeCounts(
            long sent, long answered, long inFlight, long bytesReceived, long connectionsOpened) {
        this(sent, answered, inFlight, bytesReceived, connectionsOpened, Outside.NONE);
    }

    public ExchangeCounts(
            long sent,
            long answered,
            long inFlight,
            long bytesReceived,
            long connectionsOpened,
            Outside outside) {
        this(
                sent,
                answered,
                inFlight,
                bytesReceived,
                connectionsOpened,
                outside.good(),
                outside.bad(),
                outside.nanos());
    }
}
