package wallfinder.diagnosis;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Timeline;

/// Compares the generator's counts with each other and with the kernel's counters of its end. If
/// counters cover the whole host, they can only be larger.
final class SelfCheck {
    /// With fewer answers, the counts may disagree by chance.
    private static final long ANSWERS_MIN = 1_000;

    /// The connections, the rate and the mean latency of a closed loop must agree within this.
    private static final double LITTLE_TOLERANCE = 0.1;

    /// The kernel's counters are read a moment before or after the generator's.
    private static final double COUNTER_TOLERANCE = 0.05;

    /// A retransmit by the timer is 200 ms late (`TCP_RTO_MIN`, include/net/tcp.h), so one
    /// retransmitted segment in a thousand shows in the tail.
    private static final double RETRANSMITS_SHARE_MAX = 0.001;

    /// Every path loses a few segments.
    private static final double RETRANSMITS_MIN = 10;

    /// Failed requests leave connections idle: with more than one failure per this many answers,
    /// the idle time shows in the sum.
    private static final long ANSWERS_PER_ERROR_MIN = 100;

    private SelfCheck() {}

    static void of(LoadOutcome.Driven load, Observation observation, List<Caveat> caveats) {
        if (load instanceof LoadOutcome.Requests requests) {
            littlesLaw(requests, caveats);
        }
        connections(load, observation, caveats);
        answers(load, observation, caveats);
        if (load instanceof LoadOutcome.Held held) {
            sockets(held.hold(), observation, caveats);
        }
        if (observation.facts().ownCounters()) {
            retransmits(observation.timeline(), caveats);
        }
    }

    /// Connections = exchanges a second x mean time on a connection, answered or failed. Lockstep
    /// leaves connections idle on purpose, and so does the pause after a failure.
    private static void littlesLaw(LoadOutcome.Requests load, List<Caveat> caveats) {
        Histogram response = load.responseNanos();
        if (!(load.loop() instanceof LoadOutcome.Loop.Closed)
                || response.getTotalCount() == 0
                || load.networkErrors() > load.answered() / ANSWERS_PER_ERROR_MIN) {
            return;
        }
        Histogram bad = load.answers().badNanos();
        double nanos =
                response.getMean() * response.getTotalCount()
                        + bad.getMean() * bad.getTotalCount()
                        + load.failures().failedNanos();
        double busy = (nanos - load.outside().nanos()) / 1e9 / load.seconds();
        // The time of requests that were never answered is not known.
        double missing = Math.max(0, load.connections() - busy - load.inFlight());
        double tooMany = busy - load.connections();
        if (Math.max(missing, tooMany) > LITTLE_TOLERANCE * load.connections()
                && load.answered() > ANSWERS_MIN) {
            caveats.add(Doubt.LITTLES_LAW.caveat(busy, load.connections()));
        }
    }

    /// The kernel counts the SYN of each connect, whatever comes back.
    private static void connections(
            LoadOutcome.Driven load, Observation observation, List<Caveat> caveats) {
        Timeline timeline = observation.timeline();
        if (timeline.find(KernelCounter.ACTIVE_OPENS, End.CLIENT).isEmpty()) {
            return;
        }
        double kernel = timeline.growth(KernelCounter.ACTIVE_OPENS, End.CLIENT);
        long opened =
                EvidenceFigures.sampled(
                        LoadFigure.CONNECTIONS_OPENED, load.connectionsOpened(), timeline);
        long tried = opened + failedConnects(load);
        double slack = load.connections() + COUNTER_TOLERANCE * tried;
        boolean tooFew = kernel < opened - slack;
        boolean tooMany = observation.facts().ownCounters() && kernel > tried + slack;
        if (tooFew || tooMany) {
            caveats.add(
                    Doubt.DOES_NOT_ADD_UP.caveat(
                            "the generator opened %,d connections and failed to open %,d, but the kernel counted %,.0f (%s)"
                                    .formatted(
                                            opened,
                                            tried - opened,
                                            kernel,
                                            KernelCounter.ACTIVE_OPENS.text())));
        }
    }

    private static long failedConnects(LoadOutcome load) {
        return load.errors().entrySet().stream()
                .filter(e -> e.getKey().startsWith("connect-"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /// A connection has one request at a time, so each answer has its own segment.
    private static void answers(LoadOutcome load, Observation observation, List<Caveat> caveats) {
        Timeline timeline = observation.timeline();
        if (timeline.find(KernelCounter.IN_SEGMENTS, End.CLIENT).isEmpty()) {
            return;
        }
        double kernel = timeline.growth(KernelCounter.IN_SEGMENTS, End.CLIENT);
        long answered = EvidenceFigures.sampled(LoadFigure.REQUESTS, load.answered(), timeline);
        double slack = load.connections() + COUNTER_TOLERANCE * answered;
        if (kernel < answered - slack) {
            caveats.add(
                    Doubt.DOES_NOT_ADD_UP.caveat(
                            "the generator counted %,d answers, but the kernel received only %,.0f segments (%s)"
                                    .formatted(
                                            answered, kernel, KernelCounter.IN_SEGMENTS.text())));
        }
    }

    /// The sockets were counted while the generator did not open, close or send anything.
    private static void sockets(
            LoadOutcome.Hold hold, Observation observation, List<Caveat> caveats) {
        long alive = hold.fate(LoadOutcome.Hold.ALIVE);
        for (LoadOutcome.Sockets sockets : hold.sockets()) {
            if (sockets.established() != alive) {
                caveats.add(
                        Doubt.SOCKETS_DIFFER.caveat(
                                sockets.established(),
                                sockets.end().word(),
                                alive,
                                why(observation, sockets, alive)));
            }
        }
    }

    private static String why(Observation observation, LoadOutcome.Sockets sockets, long alive) {
        return sockets.established() < alive
                ? "the others had been closed, or their handshakes were never completed there"
                : observation.facts().ownCounters()
                        ? "the others belong to connections that had failed, or are the service's own"
                        : "others may be connected to the same ports";
    }

    /// Leaves out what has other causes than the path: repeated SYNs, and as many segments as full
    /// accept queues dropped.
    private static void retransmits(Timeline timeline, List<Caveat> caveats) {
        double overflows = timeline.growth(KernelCounter.LISTEN_OVERFLOWS, End.SERVER);
        for (End end : End.values()) {
            double again =
                    timeline.growth(KernelCounter.RETRANSMITS, end)
                            - timeline.growth(KernelCounter.SYN_RETRANS, end)
                            - (end == End.CLIENT ? overflows : 0);
            double sent = timeline.growth(KernelCounter.OUT_SEGMENTS, end);
            if (again >= RETRANSMITS_MIN && again > RETRANSMITS_SHARE_MAX * sent) {
                caveats.add(Doubt.RETRANSMITS.caveat(end.word(), again, sent));
            }
        }
    }
}
