package wallfinder.diagnosis;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.ShaperFigure;

/// How much of its rate a network link, or a shaper on it, used in one direction.
///
/// @param bytes the counter of the bytes
/// @param rate the limit in bytes a second
/// @param seconds the time between the first and the last reading
record LinkUse(Series bytes, Series rate, double seconds) {
    private static final double BITS_PER_MEGABIT = 1e6;

    /// On a host, other programs use a link as well. The load is the cause if at least this share
    /// of the bytes are its answers.
    private static final double OWN_SHARE_MIN = 0.5;

    /// Headers, and segments that were sent again, make the bytes of a link more than those of the
    /// answers; so answers that are more than the link carried took another way. The two clocks
    /// differ by a sample at each end.
    private static final double OWN_SHARE_MAX = 1.1;

    /// All uses with a known limit, at both ends.
    static List<LinkUse> of(Observation observation) {
        return Stream.of(
                        against(ShaperFigure.RATE, ShaperFigure.SENT, observation),
                        against(LinkFigure.SPEED, LinkFigure.SENT, observation),
                        against(LinkFigure.SPEED, LinkFigure.RECEIVED, observation))
                .flatMap(uses -> uses)
                .filter(use -> use.rate.last() > 0 && use.bytes.growth() >= 0)
                .toList();
    }

    private static Stream<LinkUse> against(Figure limit, Figure counter, Observation observation) {
        double seconds = Symptoms.watchedSeconds(observation);
        return observation
                .timeline()
                .all(counter)
                .flatMap(bytes ->
                        observation.timeline().beside(bytes, limit).stream()
                                .map(rate -> new LinkUse(bytes, rate, seconds)));
    }

    /// Whether any link was read at all.
    static boolean read(Observation observation) {
        return observation.timeline().all(LinkFigure.SENT).findAny().isPresent();
    }

    End end() {
        return bytes.end();
    }

    double share() {
        return Symptoms.share(bytes.growth(), seconds * rate.last());
    }

    boolean isShaper() {
        return bytes.counter().key().isOf(ShaperFigure.SENT);
    }

    private boolean sends() {
        return !bytes.counter().key().isOf(LinkFigure.RECEIVED);
    }

    /// The other figures of a shaper.
    Optional<Series> figure(Observation observation, ShaperFigure figure) {
        return isShaper() ? observation.timeline().beside(bytes, figure) : Optional.empty();
    }

    /// Whether the bytes are those of this load. In a namespace of its own all bytes are.
    boolean carriesTheLoad(Observation observation) {
        if (observation.facts().ownCounters(end())) {
            return true;
        }
        boolean answers = sends() == (end() == End.SERVER);
        double own =
                observation.load() instanceof LoadOutcome.Driven load
                        ? load.exchanges().bytesReceived()
                        : 0;
        return answers
                && own >= OWN_SHARE_MIN * bytes.growth()
                && own <= OWN_SHARE_MAX * bytes.growth();
    }

    /// `the server's eth0 tbf 8001: sent 19.9 Mbit/s in 3.02 s, 99 % of its rate of 20.0 Mbit/s`.
    String describe() {
        return "the %s's %s %s %s in %.2f s, %s of its %s of %s"
                .formatted(
                        end().word(),
                        bytes.subject(),
                        sends() ? "sent" : "received",
                        megabits(bytes.growth() / seconds),
                        seconds,
                        EvidenceFigures.percent(share()),
                        isShaper() ? "rate" : "speed",
                        megabits(rate.last()));
    }

    static String megabits(double bytesPerSecond) {
        double megabits = 8 * bytesPerSecond / BITS_PER_MEGABIT;
        return (megabits < 10 ? "%.2f Mbit/s" : megabits < 1_000 ? "%.1f Mbit/s" : "%.0f Mbit/s")
                .formatted(megabits);
    }
}
