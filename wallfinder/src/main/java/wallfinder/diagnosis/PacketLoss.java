package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// The path loses segments of established connections. TCP waits for a time-out of at least 200 ms
/// before it sends a small request or answer again (`tcp_schedule_loss_probe` and `tcp_rearm_rto`,
/// net/ipv4/tcp_output.c and tcp_input.c).
///
/// The share of retransmitted segments alone harms nobody, so the wall also needs slow answers, and
/// enough lost segments to explain them. A lost answer makes both ends retransmit: the server the
/// answer, and the client the request, which that answer would have acknowledged. The receiver
/// reports such a needless retransmit (D-SACK, RFC 2883).
public record PacketLoss() implements Wall {
    /// Without drops or overflows, no recording has a share above 0.001 %. With 0.1 % lost and two
    /// segments for each exchange, a service that answers in 2 ms loses a sixth of its time.
    private static final double LOST_SHARE_MIN = 0.001;

    /// Fewer may be chance.
    private static final double LOST_MIN = 5;

    /// A lost segment delays one answer, because a connection has one request under way. Some
    /// answers are slow because of a segment that was lost just before the measurement.
    private static final double EXPLAINS_SHARE = 0.5;

    /// Time-outs that take a smaller share of the connections' time do not limit the rate.
    private static final double LATE_TIME_SHARE = 0.2;

    /// What the kernel of one end counted.
    ///
    /// @param needless retransmits of what the other end already had
    private record Sent(End end, double segments, double again, double syns, double needless) {
        static Sent by(End end, Observation observation) {
            return new Sent(
                    end,
                    grown(observation, KernelCounter.OUT_SEGMENTS, end),
                    grown(observation, KernelCounter.RETRANSMITS, end),
                    grown(observation, KernelCounter.SYN_RETRANS, end),
                    grown(observation, KernelCounter.NEEDLESS, end));
        }

        double lost() {
            return Math.max(0, again - syns - needless);
        }
    }

    /// What both ends sent and lost.
    ///
    /// @param overflows the requests that the server's kernel dropped because an accept queue was
    ///   full; the client repeats them
    private record Path(Sent client, Sent server, double overflows) {
        static Path of(Observation observation) {
            return new Path(
                    Sent.by(End.CLIENT, observation),
                    Sent.by(End.SERVER, observation),
                    grown(observation, KernelCounter.LISTEN_OVERFLOWS, End.SERVER));
        }

        double lost() {
            return Math.max(0, client.lost() - overflows) + server.lost();
        }

        double segments() {
            return client.segments + server.segments;
        }

        double share() {
            return Symptoms.share(lost(), segments());
        }

        String says() {
            return "%.0f of %.0f segments (%.2f %%) were lost"
                    .formatted(lost(), segments(), share() * 100);
        }
    }

    @Override
    public WallId id() {
        return WallId.PACKET_LOSS;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Missing> missing = missing(observation);
        if (missing.isPresent()) {
            return new Judgement.Unknown(this, missing.get());
        }
        Path path = Path.of(observation);
        if (path.lost() < LOST_MIN || path.share() < LOST_SHARE_MIN) {
            return new Judgement.Clear(this, path.says());
        }
        String cause = others.cause(id());
        if (cause != null) {
            return new Judgement.Clear(this, path.says() + ", because " + cause);
        }
        LoadOutcome load = observation.load();
        LateAnswers late = LateAnswers.beyond(load.responseNanos().getValueAtPercentile(50), load);
        List<Evidence> evidence = evidence(observation, path, late);
        if (path.lost() < EXPLAINS_SHARE * late.count()) {
            return new Judgement.Near(
                    this,
                    End.PATH,
                    evidence,
                    path.says()
                            + ", which does not explain %.0f late answers".formatted(late.count()));
        }
        return harm(observation, symptoms, late)
                .<Judgement>map(harm -> new Judgement.Binds(this, End.PATH, harm, evidence))
                .orElseGet(() ->
                        new Judgement.Near(
                                this,
                                End.PATH,
                                evidence,
                                path.says() + ", without harm to this load"));
    }

    private static Optional<Missing> missing(Observation observation) {
        if (!observation.facts().ownCounters()) {
            return Optional.of(Missing.OWN_COUNTERS);
        }
        boolean seen =
                switch (observation.load()) {
                    case LoadOutcome.Requests _, LoadOutcome.Held _ -> true;
                    case LoadOutcome.Command _, LoadOutcome.Unseen _ -> false;
                };
        if (!seen) {
            return Optional.of(Missing.ANSWERS);
        }
        boolean read =
                Stream.of(End.CLIENT, End.SERVER)
                        .allMatch(end ->
                                EvidenceFigures.find(observation, KernelCounter.RETRANSMITS, end)
                                        .isPresent());
        return read ? Optional.empty() : Optional.of(Missing.READINGS);
    }

    private static Optional<Harm> harm(
            Observation observation, Symptoms symptoms, LateAnswers late) {
        if (symptoms.errorsBegin() && LateAnswers.timedOut(observation.load()) > 0) {
            return Optional.of(Harm.ERRORS);
        }
        if (late.timeShare() >= LATE_TIME_SHARE
                && !symptoms.cpuSaturated()
                && !late.mostWaitElsewhere(observation.load(), symptoms)) {
            return Optional.of(Harm.THROUGHPUT);
        }
        boolean tail =
                symptoms.tailJumps()
                        && symptoms.p99Nanos() >= symptoms.p50Nanos() + LateAnswers.LATE_NANOS;
        return tail ? Optional.of(Harm.LATENCY) : Optional.empty();
    }

    private static double grown(Observation observation, KernelCounter counter, End end) {
        return Math.max(0, observation.timeline().growth(counter, end));
    }

    private static List<Evidence> evidence(Observation observation, Path path, LateAnswers late) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(
                EvidenceFigures.against(
                        "lost segments",
                        End.PATH,
                        path.lost(),
                        LOST_SHARE_MIN * path.segments(),
                        "derived: Tcp.RetransSegs - TcpExt.TCPSynRetrans - TcpExt.TCPDSACKRecv of both ends, without TcpExt.ListenOverflows of the server",
                        path.says()));
        for (Sent sent : List.of(path.client(), path.server())) {
            EvidenceFigures.grown(
                            observation,
                            KernelCounter.RETRANSMITS,
                            sent.end(),
                            again ->
                                    "the %s retransmitted %.0f of %.0f segments; %.0f of them began a handshake"
                                            .formatted(
                                                    sent.end().word(),
                                                    again,
                                                    sent.segments(),
                                                    sent.syns()))
                    .ifPresent(evidence::add);
            EvidenceFigures.grown(
                            observation,
                            KernelCounter.NEEDLESS,
                            sent.end(),
                            again ->
                                    "the other end already had %.0f of the segments that the %s retransmitted"
                                            .formatted(again, sent.end().word()))
                    .ifPresent(evidence::add);
        }
        evidence.add(
                EvidenceFigures.seen(
                        "late answers",
                        End.CLIENT,
                        Math.round(late.count()),
                        "generator",
                        "%.0f answers (%.2f %%) took at least 190 ms longer than the median, or timed out; TCP waits 200 ms before it retransmits"
                                .formatted(late.count(), late.share() * 100)));
        return evidence;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    /// There is no remedy: nothing in a sandbox stops a path from losing packets.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "find who drops the packets: ip -s link, tc -s qdisc, nft list ruleset, ethtool -S DEVICE, on both hosts and in between",
                        "your time"),
                new Advice(
                        "on a path with short round trips, ip route change ROUTE rto_min 20ms on both ends: it hides the loss",
                        "needless retransmits to peers that acknowledge late"));
    }
}
