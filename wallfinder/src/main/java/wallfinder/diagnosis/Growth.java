package wallfinder.diagnosis;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget.Part;
import wallfinder.diagnosis.Budget.Parts;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.Observation;

/// The extra time of an answer, by which it takes longer under load than alone, and what it spends
/// that time on.
///
/// The time in which a request waits to be accepted or read is an effect: it grows whenever the
/// workers of a service are busy for too long. The cause is what grew inside the service.
record Growth(Parts alone, Parts loaded) {
    /// A part that takes at least half of the extra time inside the service is the cause.
    private static final double CAUSE_SHARE = 0.5;

    /// If an answer takes less than one and a half times as long inside the service as alone, its
    /// workers are too few rather than too slow.
    private static final double INSIDE_GROWTH_MIN = 0.5;

    /// A pool has one request on each connection, which then waits as long as alone or longer.
    private static final double SHARED_MAX = 0.5;

    /// Empty if the budget is not known, or not the one without load.
    static Optional<Growth> of(Observation observation) {
        return Budget.of(observation)
                .flatMap(budget ->
                        Optional.ofNullable(budget.alone())
                                .map(alone -> new Growth(alone, budget.loaded())));
    }

    /// Whether this part was read without load. A destination that had no connection then was not.
    boolean knowsAlone(Share share) {
        return alone.shares().stream().anyMatch(one -> one.key().equals(share.key()));
    }

    /// What is unexplained alone may be below 0, if the other parts were longer than the response.
    double micros(Share share) {
        return share.micros() - Math.max(0, alone.micros(share.key()));
    }

    private double micros(Part part) {
        return loaded.micros(part.word()) - alone.micros(part.word());
    }

    /// The extra time inside the service.
    private double insideMicros() {
        return loaded.responseMicros()
                - alone.responseMicros()
                - micros(Part.ACCEPT)
                - micros(Part.UNREAD);
    }

    /// Whether a part makes an answer take much longer inside the service.
    boolean matters(Share share) {
        return matters(micros(share));
    }

    private boolean matters(double micros) {
        return micros >= INSIDE_GROWTH_MIN * alone.responseMicros();
    }

    /// Whether a part is the cause of what grew.
    boolean isCause(Share share) {
        return isCause(micros(share));
    }

    /// Whether several shares of a part are the cause together, such as the shards of a database.
    boolean areCause(List<Share> shares) {
        return isCause(
                shares.stream()
                        .filter(this::knowsAlone)
                        .mapToDouble(share -> Math.max(0, micros(share)))
                        .sum());
    }

    /// Whether a part is the cause, together with the time in which threads wait for the one that
    /// is in that part and has a lock meanwhile.
    boolean isCauseWithItsLock(Share share) {
        return isCause(micros(share) + Math.max(0, micros(Part.LOCK)));
    }

    private boolean isCause(double micros) {
        return matters(micros) && micros >= CAUSE_SHARE * insideMicros();
    }

    /// Whether connections to another service carry several requests at a time, as HTTP/2 does. By
    /// the connections, a request then waits for a shorter time under load than alone.
    ///
    /// @param address of that service; if it is null, those of all services count
    boolean sharesConnections(@Nullable String address) {
        return waiting(loaded, address) < SHARED_MAX * waiting(alone, address);
    }

    private static double waiting(Parts parts, @Nullable String address) {
        return parts.shares().stream()
                .filter(share -> share.part() == Part.DEPENDENCY)
                .filter(share -> address == null || address.equals(share.destination()))
                .mapToDouble(Share::micros)
                .sum();
    }

    /// The shares of one part, the one that grew most first.
    List<Share> of(Part part) {
        return loaded.shares().stream()
                .filter(share -> share.part() == part)
                .sorted((one, other) -> Double.compare(micros(other), micros(one)))
                .toList();
    }

    /// Describes a part's growth, such as `13.0 ms alone, 29.1 ms at this load`.
    String describe(Share share) {
        return "%s alone, %s at this load"
                .formatted(
                        EvidenceFigures.millis(1e3 * alone.micros(share.key())),
                        EvidenceFigures.millis(1e3 * share.micros()));
    }

    /// @param counted what was counted, such as `threads in fsync`
    Evidence evidence(Share share, String counted, String says) {
        return new Evidence(
                new Key.Derived("budget." + share.key()),
                End.SERVER,
                Basis.DERIVED,
                alone.micros(share.key()),
                share.micros(),
                null,
                "derived by Little's law: %s / answers per second".formatted(counted),
                "%s; the whole answer takes %s alone, %s at this load"
                        .formatted(
                                says,
                                EvidenceFigures.millis(1e3 * alone.responseMicros()),
                                EvidenceFigures.millis(1e3 * loaded.responseMicros())));
    }
}
