package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// Each answer is written in two parts. Nagle's algorithm holds back the second part until the
/// first is acknowledged (`tcp_nagle_check`, net/ipv4/tcp_output.c), and the other end delays that
/// acknowledgement by 40 ms or more (`tcp_delack_timer_handler`, net/ipv4/tcp_timer.c).
///
/// Delayed acknowledgements alone prove nothing: they also come if a client pauses between two
/// requests, or a service between two parts of an answer. Then no bytes are held back.
public record DelayedAck() implements Wall {
    /// Nothing else takes as much of an answer's time.
    private static final double HELD_SHARE = 0.5;

    /// Of the mean of the readings: it is seldom more than two standard errors too high.
    private static final double ERRORS = 2;

    /// Below this, answers are slow for another reason.
    private static final double NEAR_SHARE = 0.2;

    /// Each answer that is held back ends a delay. Some acknowledgements of a connection's first
    /// segments are not delayed (`tcp_enter_quickack_mode`, net/ipv4/tcp_input.c).
    private static final double DELAYED_PER_ANSWER = 0.5;

    /// Fewer readings with held back bytes may be chance.
    private static final int SEEN_MIN = 3;

    private static final double MICROS_PER_SECOND = 1e6;

    /// The time of an answer, and how much of it Nagle's algorithm held its last bytes back.
    ///
    /// @param held the connections with such bytes, by listener
    /// @param delayed the end with the most delayed acknowledgements, and their number
    /// @param aloneShare the share of an answer's time in which it waits to be sent without load
    private record Waiting(
            List<Series> held,
            Series delayed,
            double answers,
            double heldMicros,
            double micros,
            double aloneShare) {
        static Optional<Waiting> of(Observation observation) {
            List<Series> held =
                    observation
                            .timeline()
                            .all(ListenFigure.HELD_BACK, End.SERVER)
                            .filter(series -> !Double.isNaN(Budget.mean(series)))
                            .sorted(Comparator.comparingDouble(Budget::mean).reversed())
                            .toList();
            Optional<Series> delayed =
                    Stream.of(End.CLIENT, End.SERVER)
                            .flatMap(end ->
                                    EvidenceFigures.find(
                                            observation, KernelCounter.DELAYED_ACKS, end)
                                            .stream())
                            .max(Comparator.comparingDouble(Series::growth));
            Optional<Budget> budget = Budget.of(observation);
            if (held.isEmpty() || delayed.isEmpty() || budget.isEmpty()) {
                return Optional.empty();
            }
            double answers =
                    EvidenceFigures.sampled(
                            LoadFigure.REQUESTS,
                            observation.load().answered(),
                            observation.timeline());
            double perSecond = answers / Symptoms.watchedSeconds(observation);
            double heldMicros =
                    held.stream().mapToDouble(Budget::mean).sum() / perSecond * MICROS_PER_SECOND;
            return Optional.of(
                    new Waiting(
                            held,
                            delayed.get(),
                            answers,
                            heldMicros,
                            budget.get().loaded().responseMicros(),
                            aloneShare(budget.get().alone())));
        }

        private static double aloneShare(Budget.@Nullable Parts alone) {
            return alone == null
                    ? 0
                    : Symptoms.share(
                            alone.micros(Budget.Part.TRANSMIT.word()), alone.responseMicros());
        }

        double share() {
            return Symptoms.share(heldMicros, micros);
        }

        /// At least this, although the readings may have met more connections than usual.
        double surelyShare() {
            double mean = Budget.mean(held.getFirst());
            double[] counts = Budget.readings(held.getFirst()).toArray();
            double squares =
                    Arrays.stream(counts).map(count -> (count - mean) * (count - mean)).sum();
            double error = Math.sqrt(squares) / counts.length;
            return share() * (1 - ERRORS * error / mean);
        }

        /// The few readings of a short load may all err to one side. Those without load are others.
        boolean isMost() {
            return surelyShare() >= HELD_SHARE
                    || (share() >= HELD_SHARE && aloneShare >= HELD_SHARE);
        }

        boolean isSeen() {
            return seen(held.getFirst()) >= SEEN_MIN;
        }

        private static long seen(Series series) {
            return Arrays.stream(series.values()).filter(value -> value > 0).count();
        }

        boolean isDelayed() {
            return delayed.growth() >= DELAYED_PER_ANSWER * answers;
        }

        String says() {
            return "the last bytes of an answer are held back for %s of %s"
                    .formatted(
                            EvidenceFigures.millis(heldMicros * 1e3),
                            EvidenceFigures.millis(micros * 1e3));
        }

        List<Evidence> evidence() {
            List<Evidence> evidence = new ArrayList<>();
            Series most = held.getFirst();
            evidence.add(
                    EvidenceFigures.largest(
                            most,
                            null,
                            "on average %.1f connections to port %s had unsent bytes behind an unacknowledged segment"
                                    .formatted(Budget.mean(most), most.subject())));
            evidence.add(
                    EvidenceFigures.against(
                            "held back",
                            End.SERVER,
                            heldMicros,
                            HELD_SHARE * micros,
                            "derived: microseconds, the mean of listen[].heldBack / the rate of answers",
                            says()));
            evidence.add(
                    EvidenceFigures.growth(
                            delayed,
                            "the %s delayed %.0f acknowledgements, for %.0f answers"
                                    .formatted(delayed.end().word(), delayed.growth(), answers)));
            return evidence;
        }
    }

    @Override
    public WallId id() {
        return WallId.DELAYED_ACK;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (!(observation.load() instanceof LoadOutcome.Requests requests)) {
            return new Judgement.Unknown(this, Missing.ANSWERS);
        }
        Optional<Waiting> found = Waiting.of(observation);
        if (found.isEmpty()) {
            return new Judgement.Unknown(this, Missing.READINGS);
        }
        Waiting waiting = found.get();
        if (waiting.share() < NEAR_SHARE || !waiting.isSeen()) {
            return new Judgement.Clear(this, waiting.says());
        }
        if (!waiting.isDelayed()) {
            return near(waiting, ", but few acknowledgements were delayed");
        }
        if (!waiting.isMost()) {
            return near(waiting, "");
        }
        return symptoms.cpuSaturated()
                ? near(waiting, ", and the CPU is full")
                : new Judgement.Binds(this, End.SERVER, harm(requests), waiting.evidence());
    }

    private Judgement near(Waiting waiting, String but) {
        return new Judgement.Near(this, End.SERVER, waiting.evidence(), waiting.says() + but);
    }

    /// In a closed loop a connection sends nothing while it waits.
    private static Harm harm(LoadOutcome.Requests load) {
        return switch (load.loop()) {
            case Loop.Closed _, Loop.Lockstep _ -> Harm.THROUGHPUT;
            case Loop.Open _ -> Harm.LATENCY;
        };
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    /// A knob that sets TCP_NODELAY goes from 0 to 1.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Remedy.each(Change.raised(experiment, id(), 0, _ -> 1), "more and smaller packets");
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "set TCP_NODELAY on the connections of the service",
                        "more and smaller packets"),
                new Advice(
                        "write an answer in one piece, through a buffer or by writev", "your time"),
                new Advice(
                        "on a client that you control, ip route change, the whole line of ip route show, and quickack 1",
                        "more acknowledgements"));
    }
}
