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
    /// If the server's accept queue is full, its kernel drops packets, too. Of a client that
    /// believes it is connected it drops requests, which the client repeats as if the path had lost
    /// them. But they arrived.
    ///
    /// @param overflows the packets that found a full accept queue: SYNs, the last packets of
    ///   handshakes, and requests
    /// @param missing the packets that one end sent and the other never got, acknowledgements
    ///   included; `NaN` if unknown
    private record Path(Sent client, Sent server, double overflows, double missing) {
        static Path of(Observation observation) {
            return new Path(
                    Sent.by(End.CLIENT, observation),
                    Sent.by(End.SERVER, observation),
                    grown(observation, KernelCounter.LISTEN_OVERFLOWS, End.SERVER),
                    notDelivered(observation));
        }

        /// Lost by the path or dropped by a full accept queue.
        double again() {
            return client.lost() + server.lost();
        }

        /// Lost by the path, even if every overflow was a request.
        double lostMin() {
            return Math.max(0, client.lost() - overflows) + server.lost();
        }

        double lost() {
            return Double.isNaN(missing) ? lostMin() : Math.clamp(missing, lostMin(), again());
        }

        double lostMax() {
            return Double.isNaN(missing) ? again() : lost();
        }

        /// Dropped by a full accept queue.
        double dropped() {
            return again() - lost();
        }

        double segments() {
            return client.segments + server.segments;
        }

        boolean isMuch(double lost) {
            return lost >= LOST_MIN && lost >= LOST_SHARE_MIN * segments();
        }

        /// How the number of lost segments is derived.
        String derivation() {
            String again =
                    "derived: Tcp.RetransSegs - TcpExt.TCPSynRetrans - TcpExt.TCPDSACKRecv of both ends";
            if (overflows <= 0) {
                return again;
            }
            return again
                    + (Double.isNaN(missing)
                            ? " - TcpExt.ListenOverflows of the server"
                            : ", at most Ip.OutRequests - Ip.InDelivers of both ends");
        }

        String says() {
            String lost =
                    "%.0f of %.0f segments (%.2f %%) were lost"
                            .formatted(
                                    lost(), segments(), 100 * Symptoms.share(lost(), segments()));
            return dropped() < 1
                    ? lost
                    : lost + "; %.0f others found a full accept queue".formatted(dropped());
        }
    }

    /// What a namespace's programs send each other arrives there, so it adds nothing to the
    /// difference. IP counts a large segment once on both ends, before a device divides it; TCP
    /// counts its parts at the sender. IP's counters do not include IPv6, TCP's do.
    private static double notDelivered(Observation observation) {
        double missing = 0;
        for (End end : List.of(End.CLIENT, End.SERVER)) {
            double delivered = grown(observation, KernelCounter.IN_DELIVERED, end);
            boolean read =
                    EvidenceFigures.find(observation, KernelCounter.IN_DELIVERED, end).isPresent();
            if (!read || delivered < grown(observation, KernelCounter.IN_SEGMENTS, end)) {
                return Double.NaN;
            }
            missing += grown(observation, KernelCounter.OUT_PACKETS, end) - delivered;
        }
        return missing;
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
        if (!path.isMuch(path.lostMax())) {
            return new Judgement.Clear(this, path.says());
        }
        String cause = others.cause(id());
        if (cause != null) {
            return new Judgement.Clear(this, path.says() + ", because " + cause);
        }
        LoadOutcome load = observation.load();
        LateAnswers late = LateAnswers.beyond(load.responseNanos().getValueAtPercentile(50), load);
        List<Evidence> evidence = evidence(observation, path, late);
        if (!path.isMuch(path.lost())) {
            return new Judgement.Near(
                    this,
                    End.PATH,
                    evidence,
                    "whether the path or the full accept queue dropped %.0f of %.0f segments is unknown"
                            .formatted(path.again(), path.segments()));
        }
        if (path.again() < EXPLAINS_SHARE * late.count()) {
            return new Judgement.Near(
                    this,
                    End.PATH,
                    evidence,
                    path.says()
                            + ", which does not explain %.0f late answers".formatted(late.count()));
        }
        return harm(observation, symptoms, late, path.lost() / path.again())
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

    /// @param ofPath the share of the late answers that the path delayed; a full accept queue
    ///   delayed the others
    private static Optional<Harm> harm(
            Observation observation, Symptoms symptoms, LateAnswers late, double ofPath) {
        LoadOutcome load = observation.load();
        if (symptoms.errorsBegin() && ofPath * LateAnswers.timedOut(load) >= 1) {
            return Optional.of(Harm.ERRORS);
        }
        if (ofPath * late.timeShare() >= LATE_TIME_SHARE
                && !symptoms.cpuSaturated()
                && !late.mostWaitElsewhere(load, symptoms)) {
            return Optional.of(Harm.THROUGHPUT);
        }
        boolean tail = symptoms.tailJumps() && ofPath * late.share() >= LateAnswers.TAIL_SHARE;
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
                        path.derivation(),
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
                        "on a path with short round trips, ip route change, the whole line of ip route show, and rto_min 20ms, on both ends: it hides the loss",
                        "needless retransmits to peers that acknowledge late"));
    }
}
