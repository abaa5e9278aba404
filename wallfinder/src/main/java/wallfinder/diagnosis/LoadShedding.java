package wallfinder.diagnosis;

import java.util.List;
import org.HdrHistogram.Histogram;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.Answers;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// The service rejects requests to protect itself: above a number of requests at a time or in a
/// second, it answers 503 (Service Unavailable, RFC 9110, section 15.6.4) or 429 (Too Many
/// Requests, RFC 6585, section 4) at once.
///
/// A service that tries and then fails gives the same answer, but later than a good answer.
public record LoadShedding() implements Wall {
    private static final int UNAVAILABLE = 503;

    /// If at least this share of the bad answers are rejections, their times are those of
    /// rejections.
    private static final double REJECTED_SHARE_MIN = 0.9;

    /// If a good answer is as cheap as a rejection, either of them may be faster.
    private static final double SLOWER_MAX = 1.25;

    /// A service has no time-out this short.
    private static final double SLOWER_NANOS_MAX = 1e6;

    private static final String PRICE = "longer waits for all, and memory for those that wait";

    @Override
    public WallId id() {
        return WallId.LOAD_SHEDDING;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        return observation.load() instanceof LoadOutcome.Requests load
                        && !load.answers().statuses().isEmpty()
                ? judge(load, symptoms)
                : new Judgement.Unknown(
                        this, Missing.ANSWERS, "not known: the status of the answers was not seen");
    }

    private Judgement judge(LoadOutcome.Requests load, Symptoms symptoms) {
        long rejected = rejected(load);
        if (rejected == 0) {
            return new Judgement.Clear(this, "no answer was an unexpected 429 or 503");
        }
        String rejections = BadAnswers.describe(load);
        if (load.answers().goodAlone() == 0 && !load.answers().usedUp()) {
            return new Judgement.Unknown(
                    this, Missing.GOOD_ANSWERS, "not known: no request alone got a good answer");
        }
        if (Symptoms.badBegun(load) < REJECTED_SHARE_MIN * load.bad()) {
            return new Judgement.Clear(
                    this, rejections + ", but one request alone got a bad answer, too");
        }
        if (rejected < REJECTED_SHARE_MIN * load.bad()) {
            return new Judgement.Clear(this, rejections + ": not all of them reject the request");
        }
        if (slower(load)) {
            return new Judgement.Clear(this, rejections + ", but not at once: " + times(load));
        }
        return symptoms.errorsBegin()
                ? new Judgement.Binds(this, End.SERVER, Harm.ERRORS, evidence(load, rejections))
                : new Judgement.Near(this, End.SERVER, evidence(load, rejections), rejections);
    }

    private static long rejected(LoadOutcome load) {
        return load.answers().bad(Answers.TOO_MANY) + load.answers().bad(UNAVAILABLE);
    }

    /// Good answers under load, or without load if the load got none.
    private static Histogram good(LoadOutcome.Requests load) {
        return load.responseNanos().getTotalCount() > 0
                ? load.responseNanos()
                : load.unloadedNanos();
    }

    private static boolean slower(LoadOutcome.Requests load) {
        double good = good(load).getValueAtPercentile(50);
        double rejected = load.answers().badNanos().getValueAtPercentile(50);
        return rejected > Math.max(SLOWER_MAX * good, good + SLOWER_NANOS_MAX);
    }

    private static String times(LoadOutcome.Requests load) {
        return "half of the rejections came within %s, half of the good answers within %s%s"
                .formatted(
                        EvidenceFigures.millis(load.answers().badNanos().getValueAtPercentile(50)),
                        EvidenceFigures.millis(good(load).getValueAtPercentile(50)),
                        load.responseNanos().getTotalCount() > 0 ? "" : " without load");
    }

    private static List<Evidence> evidence(LoadOutcome.Requests load, String rejections) {
        return List.of(
                new Evidence(
                        new Key.Derived("answers 429 and 503"),
                        End.SERVER,
                        Basis.LOAD,
                        0.0,
                        (double) rejected(load),
                        null,
                        "generator",
                        "the service %s, %s"
                                .formatted(
                                        rejections,
                                        load.answers().usedUp()
                                                ? "and after the load to a single request, too"
                                                : "but to none without load")),
                new Evidence(
                        new Key.Derived("median response time of good answers and of rejections"),
                        End.CLIENT,
                        Basis.LOAD,
                        good(load).getValueAtPercentile(50) / 1e3,
                        load.answers().badNanos().getValueAtPercentile(50) / 1e3,
                        null,
                        "generator",
                        times(load)));
    }

    /// A slow generator never makes a service reject requests.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.ERRORS;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Remedy.raisingKnobs(
                experiment,
                id(),
                PRICE,
                knob -> wanted(EvidenceFigures.number(knob.value()), experiment, observation));
    }

    /// A limit on concurrent requests has to admit all connections; a limit on the rate, all that
    /// an open loop sends.
    private static long wanted(long value, Experiment experiment, Observation observation) {
        long atOnce = ServerConcurrency.asked(experiment, observation);
        return observation.load() instanceof LoadOutcome.Driven load
                        && load.loop() instanceof LoadOutcome.Loop.Open
                        && load.good() > 0
                ? Math.max(atOnce, value * load.sent() / load.good())
                : atOnce;
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "raise the limit that rejects requests (limit_req, limit_conn, a bulkhead, a"
                                + " circuit breaker, the bound of a queue), if the service can do more",
                        PRICE),
                new Advice(
                        "keep the limit, and let clients wait and repeat (Retry-After), or add another"
                                + " instance",
                        "later answers, or the cost of the instance"));
    }
}
