package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.Observation;
import wallfinder.observation.SendFigure;
import wallfinder.observation.Series;

/// TCP may not send the rest of an answer before the client acknowledges what is on its way: the
/// client's window is used up, or the server's send buffer is full (`tcp_chrono_start`,
/// net/ipv4/tcp_output.c). Each such wait takes a round trip, with one connection too, so latency
/// need not grow with the load.
///
/// Two look-alikes use up the window as well. A client that reads slowly closes its window, and
/// acknowledges late. A full link lets the round trips grow. In both cases a larger window moves
/// nothing.
public record TcpWindow() implements Wall {
    /// With the kernel's default sizes and round trips of 20 ms, answers of 300 KB reach 0 %. With
    /// a quarter, a larger window still gains a little, but hardly more than the noise.
    private static final double LIMITED_SHARE_MIN = 0.3;

    /// Nobody notices shorter waits. The kernel counts the time in ticks of up to 10 ms, which
    /// average out over many answers.
    private static final double LIMITED_NANOS_MIN = 5e6;

    /// Without this part of its time, an answer takes at most two thirds of it.
    private static final double RESPONSE_SHARE_MIN = 0.3;

    /// A wait ends when an acknowledgement arrives, which takes about a round trip. With less than
    /// one for each answer, most answers do not wait.
    private static final double ROUND_TRIPS_MIN = 1;

    /// Round trips vary by a few percent on a quiet path. A slow reader or a full link doubles
    /// them.
    private static final double ROUND_TRIP_GROWTH_MAX = 1.5;

    /// A slow reader has most of a window unread, so it offers the rest.
    private static final double OPEN_SHARE_MIN = 0.5;

    /// The kernel's times may include a little of what was before the load or after it.
    private static final double OWN_TIME_MAX = 1.2;

    /// The kernel uses the larger part of a receive buffer for its own structures: of the largest
    /// buffer allowed, at least this part is the window (`tcp_win_from_space`, include/net/tcp.h).
    private static final double WINDOW_OF_BUFFER_MIN = 0.25;

    /// A send buffer counts as full-grown from this share of `tcp_wmem` on.
    private static final double FULL_GROWN_SHARE = 0.9;

    /// The kernel's default for the largest send buffer; its default for receiving is larger.
    private static final long BUFFER_BYTES_MIN = 4L << 20;

    private static final String RECEIVE = "net.ipv4.tcp_rmem";
    private static final String SEND = "net.ipv4.tcp_wmem";
    private static final String PRICE = "more kernel memory for each connection with much to send";

    /// What limited the connections to one port.
    ///
    /// @param busy the series of the time in which there was something to send
    /// @param share of that time in which TCP might not send
    private record Sent(Observation observation, Series busy, double share) {
        static Optional<Sent> most(Observation observation) {
            return observation
                    .timeline()
                    .all(SendFigure.BUSY, End.SERVER)
                    .filter(busy -> !Double.isNaN(busy.last()))
                    .map(busy -> of(observation, busy))
                    .max(Comparator.comparingDouble(Sent::limitedMicros));
        }

        private static Sent of(Observation observation, Series busy) {
            Sent sent = new Sent(observation, busy, 0);
            return new Sent(observation, busy, Symptoms.share(sent.limitedMicros(), busy.growth()));
        }

        Optional<Series> series(SendFigure figure) {
            return observation
                    .timeline()
                    .beside(busy, figure)
                    .filter(one -> !Double.isNaN(one.last()));
        }

        private double grown(SendFigure figure) {
            return series(figure).map(Series::growth).orElse(0.0);
        }

        double limitedMicros() {
            return grown(SendFigure.WINDOW_LIMITED) + grown(SendFigure.BUFFER_LIMITED);
        }

        /// The end with the setting that limits more.
        End end() {
            return grown(SendFigure.WINDOW_LIMITED) >= grown(SendFigure.BUFFER_LIMITED)
                    ? End.CLIENT
                    : End.SERVER;
        }

        /// The mean of the readings of a level, or `NaN`.
        double mean(SendFigure figure) {
            return series(figure).stream()
                    .flatMapToDouble(one -> DoubleStream.of(one.values()))
                    .filter(value -> !Double.isNaN(value))
                    .average()
                    .orElse(Double.NaN);
        }

        String says() {
            return "TCP was not allowed to send in %s of the %.1f s in which connections had something to send"
                    .formatted(EvidenceFigures.percent(share), busy.growth() / 1e6);
        }
    }

    @Override
    public WallId id() {
        return WallId.TCP_WINDOW;
    }

    /// What the kernel reports of the connections suffices.
    @Override
    public boolean seen(Observation observation) {
        return observation.facts().serverWatched() || AcceptQueue.listenerSeen(observation);
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Sent> most = Sent.most(observation);
        if (most.isEmpty()) {
            return new Judgement.Unknown(this, Missing.READINGS);
        }
        Sent sent = most.get();
        if (sent.share() < LIMITED_SHARE_MIN) {
            return new Judgement.Clear(this, sent.says());
        }
        if (!(observation.load() instanceof LoadOutcome.Requests requests)
                || requests.answered() == 0) {
            return new Judgement.Unknown(this, Missing.ANSWERS);
        }
        String cause = others.cause(id());
        if (cause != null) {
            return new Judgement.Clear(this, sent.says() + ", because " + cause);
        }
        double limitedNanos = sent.limitedMicros() * 1e3 / requests.answered();
        List<Evidence> evidence = evidence(requests, sent, limitedNanos);
        String but = others(requests, sent);
        if (but == null) {
            but = harmless(requests, sent, limitedNanos);
        }
        if (but == null) {
            but = lookAlike(sent);
        }
        return but == null
                ? new Judgement.Binds(this, sent.end(), harm(requests, symptoms), evidence)
                : new Judgement.Near(this, sent.end(), evidence, sent.says() + ", " + but);
    }

    /// Whether other clients of the port waited, or null. The kernel's times are those of all
    /// connections to the port.
    private static @Nullable String others(LoadOutcome.Requests load, Sent sent) {
        long exchanges = load.answered() + load.inFlight();
        double ownNanos =
                load.times().serviceNanos().getMean() * exchanges + load.failures().failedNanos();
        return sent.limitedMicros() * 1e3 > OWN_TIME_MAX * ownNanos
                ? "but that is more than the time of this load's requests: other clients use this port"
                : null;
    }

    /// Why the limit does no harm to this load, or null.
    private static @Nullable String harmless(
            LoadOutcome.Requests load, Sent sent, double limitedNanos) {
        double serviceNanos = load.times().serviceNanos().getMean();
        boolean harms =
                limitedNanos >= LIMITED_NANOS_MIN
                        && limitedNanos >= RESPONSE_SHARE_MIN * serviceNanos
                        && limitedNanos
                                >= ROUND_TRIPS_MIN * sent.mean(SendFigure.ROUND_TRIP_MIN) * 1e3;
        return harms
                ? null
                : "but that is only %s of the %s that an answer takes"
                        .formatted(
                                EvidenceFigures.millis(limitedNanos),
                                EvidenceFigures.millis(serviceNanos));
    }

    /// Why a larger window or buffer would not help, or null.
    private static @Nullable String lookAlike(Sent sent) {
        double roundTrip = sent.mean(SendFigure.ROUND_TRIP);
        double shortest = sent.mean(SendFigure.ROUND_TRIP_MIN);
        if (!(roundTrip <= ROUND_TRIP_GROWTH_MAX * shortest)) {
            return "but round trips grew from %s to %s: the client reads slowly, or a link is full"
                    .formatted(
                            EvidenceFigures.millis(shortest * 1e3),
                            EvidenceFigures.millis(roundTrip * 1e3));
        }
        double window = sent.mean(SendFigure.WINDOW);
        double widest = sent.mean(SendFigure.WINDOW_MAX);
        return sent.end() == End.CLIENT && !(window >= OPEN_SHARE_MIN * widest)
                ? "but the client closed its window from %.0f to %.0f bytes: it reads slowly"
                        .formatted(widest, window)
                : null;
    }

    private static Harm harm(LoadOutcome.Requests load, Symptoms symptoms) {
        if (symptoms.errorsBegin()) {
            return Harm.ERRORS;
        }
        return switch (load.loop()) {
            case Loop.Closed _, Loop.Lockstep _ -> Harm.THROUGHPUT;
            case Loop.Open _ -> Harm.LATENCY;
        };
    }

    private static List<Evidence> evidence(
            LoadOutcome.Requests load, Sent sent, double limitedNanos) {
        List<Evidence> evidence = new ArrayList<>();
        add(
                sent,
                SendFigure.WINDOW_LIMITED,
                "the client's window was used up for %.1f s, as a sum over the connections",
                evidence);
        add(
                sent,
                SendFigure.BUFFER_LIMITED,
                "the send buffer was full, and all in it was sent, for %.1f s, as a sum over the connections",
                evidence);
        add(sent, SendFigure.BUSY, "connections had something to send for %.1f s", evidence);
        evidence.add(
                EvidenceFigures.against(
                        "time without permission to send",
                        End.SERVER,
                        limitedNanos / 1e3,
                        RESPONSE_SHARE_MIN * load.times().serviceNanos().getMean() / 1e3,
                        "derived: (windowLimited + bufferLimited) / answers, in microseconds",
                        "each answer waits %s of its %s until TCP may send more"
                                .formatted(
                                        EvidenceFigures.millis(limitedNanos),
                                        EvidenceFigures.millis(
                                                load.times().serviceNanos().getMean()))));
        SendFigure size = sent.end() == End.CLIENT ? SendFigure.WINDOW : SendFigure.BUFFER;
        sent.series(size)
                .map(one ->
                        EvidenceFigures.largest(
                                one,
                                null,
                                "%s was at most %.0f bytes; a round trip takes %s"
                                        .formatted(
                                                size == SendFigure.WINDOW
                                                        ? "the client's window"
                                                        : "the limit of the send buffer",
                                                one.max(),
                                                EvidenceFigures.millis(
                                                        sent.mean(SendFigure.ROUND_TRIP) * 1e3))))
                .ifPresent(evidence::add);
        return evidence;
    }

    private static void add(Sent sent, SendFigure figure, String says, List<Evidence> evidence) {
        sent.series(figure)
                .filter(one -> one.growth() > 0)
                .map(one -> EvidenceFigures.growth(one, says.formatted(one.growth() / 1e6)))
                .ifPresent(evidence::add);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        List<Remedy> remedies = new ArrayList<>();
        String name = sysctl(binds);
        String[] sizes = observation.facts().sysctl(name, binds.end()).orElse("").split("\\s+");
        long max = sizes.length == 3 ? EvidenceFigures.number(sizes[2]) : -1;
        long wanted = Math.max(Remedy.FACTOR * max, BUFFER_BYTES_MIN);
        boolean reached =
                Sent.most(observation).filter(sent -> reached(sent, binds.end(), max)).isPresent();
        if (max > 0 && reached) {
            Change change =
                    new Change(
                            new Setting.OfSysctl(binds.end() == End.SERVER, name),
                            String.join(" ", sizes),
                            "%s %s %d".formatted(sizes[0], sizes[1], wanted));
            remedies.add(new Remedy(List.of(change), PRICE));
        }
        remedies.addAll(
                Remedy.raisingKnobs(
                        experiment,
                        id(),
                        PRICE,
                        knob -> Remedy.FACTOR * EvidenceFigures.number(knob.value())));
        return List.copyOf(remedies);
    }

    /// Whether the kernel's setting is the limit. A program may set a smaller buffer itself.
    private static boolean reached(Sent sent, End end, long max) {
        return end == End.CLIENT
                ? sent.mean(SendFigure.WINDOW_MAX) >= WINDOW_OF_BUFFER_MIN * max
                : sent.mean(SendFigure.BUFFER) >= FULL_GROWN_SHARE * max;
    }

    private static String sysctl(Judgement.Binds binds) {
        return binds.end() == End.CLIENT ? RECEIVE : SEND;
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        boolean client = binds.end() == End.CLIENT;
        return List.of(
                new Advice(
                        "raise the third number of %s on the %s's host to at least twice the bandwidth times the round trip"
                                .formatted(sysctl(binds), binds.end().word()),
                        PRICE),
                new Advice(
                        client
                                ? "do not set SO_RCVBUF in the client's program, so that the kernel sizes the buffer"
                                : "do not set SO_SNDBUF in the service, so that the kernel sizes the buffer; or raise what it sets",
                        PRICE),
                new Advice(
                        "send less: compress answers; or bring the service closer to its clients",
                        "CPU time, money"));
    }
}
