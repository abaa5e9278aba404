package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import wallfinder.diagnosis.Budget.Part;
import wallfinder.diagnosis.Budget.Parts;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.WaitFigure;

/// The threads of the service wait for one lock, so they answer one after the other.
///
/// In a pool of threads or connections that is too small, requests wait too, but for one of
/// several. A JVM names the lock. In other programs, one futex is the place where they wait, and
/// hardly more than one request is worked on at a time.
public record LockContention() implements Wall {
    /// Of the threads that wait for other threads.
    private static final double SAME_SHARE_MIN = 0.5;

    /// A lock that stops a service has threads that wait in most samples. At the start of a program
    /// a lock may be held for a moment.
    private static final double LASTING_SHARE = 0.5;

    private static final double WAITING_MIN = 2;

    /// A single look may be chance.
    private static final double LOOKS_MIN = 2;

    /// One thread has the lock, and others are on their way to it or come from it.
    private static final double BESIDE_MAX = 2.5;

    /// The part of the waiting threads that the sampler may miss.
    private static final double MISSED_SHARE = 0.05;

    private static final String PRICE = "your time";

    @Override
    public WallId id() {
        return WallId.LOCK_CONTENTION;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        GrownPart part = new GrownPart(this, Part.LOCK, "threads that wait for other threads");
        Judgement waits = part.judge(observation, symptoms, others, Growth::isCause);
        if (!(waits instanceof Judgement.Binds binds)) {
            return waits;
        }
        Optional<Evidence> lock = ofJvm(observation).or(() -> ofFutex(observation));
        if (lock.isEmpty()) {
            return new Judgement.Clear(
                    this,
                    "threads wait for each other, but no lock was seen for which most of them wait");
        }
        List<Evidence> evidence = new ArrayList<>(binds.evidence());
        evidence.add(1, lock.get());
        return new Judgement.Binds(this, End.SERVER, binds.harm(), List.copyOf(evidence));
    }

    /// A JVM said which lock.
    private static Optional<Evidence> ofJvm(Observation observation) {
        return observation
                .timeline()
                .all(JvmFigure.LOCK_LOOKS, End.SERVER)
                .filter(looks -> looks.growth() >= LOOKS_MIN)
                .flatMap(looks ->
                        observation.timeline().beside(looks, JvmFigure.LOCK_WAITERS).stream()
                                .filter(waiters ->
                                        isMost(
                                                observation,
                                                waiters.growth() / looks.growth(),
                                                looks))
                                .map(waiters -> evidence(looks, waiters)))
                .findFirst();
    }

    private static Evidence evidence(Series looks, Series waiters) {
        return EvidenceFigures.growth(
                waiters,
                "in %.0f looks, %.1f threads of %s waited for one lock on average"
                        .formatted(
                                looks.growth(),
                                waiters.growth() / looks.growth(),
                                looks.subject()));
    }

    private static boolean isMost(Observation observation, double waiters, Series of) {
        return observation
                .timeline()
                .beside(of, WaitFigure.LOCK)
                .filter(all -> waiters >= Math.max(1, SAME_SHARE_MIN * Budget.mean(all)))
                .filter(all ->
                        WatchedJudgement.share(all, threads -> threads >= WAITING_MIN)
                                >= LASTING_SHARE)
                .isPresent();
    }

    /// The kernel shows only where the threads sleep. That is a lock if next to nothing else is
    /// done meanwhile.
    private static Optional<Evidence> ofFutex(Observation observation) {
        double beside =
                Budget.of(observation)
                        .map(budget -> atWork(budget.loaded(), observation))
                        .orElse(Double.NaN);
        return observation
                .timeline()
                .all(WaitFigure.SAME_FUTEX, End.SERVER)
                .filter(same -> isMost(observation, Budget.mean(same), same))
                .max(Comparator.comparingDouble(Budget::mean))
                .filter(same -> beside <= BESIDE_MAX + missed(same))
                .map(same -> evidence(same, beside));
    }

    /// How many waiting threads the samples may lack: some that the sampler misses, or one standard
    /// error. Batches have many waiting threads at first and none at last, so a few samples differ.
    private static double missed(Series same) {
        double mean = Budget.mean(same);
        double[] known = DoubleStream.of(same.values()).filter(v -> !Double.isNaN(v)).toArray();
        double variance =
                DoubleStream.of(known).map(v -> (v - mean) * (v - mean)).average().orElse(0);
        return Math.max(MISSED_SHARE * mean, Math.sqrt(variance / known.length));
    }

    private static Evidence evidence(Series same, double beside) {
        return EvidenceFigures.largest(
                same,
                null,
                "%.1f threads of %s waited at one futex on average, while %.1f requests were worked on"
                        .formatted(Budget.mean(same), same.subject(), beside));
    }

    /// How many requests are neither in a queue nor wait for another thread, by Little's law. Bad
    /// answers are worked on, too.
    private static double atWork(Parts loaded, Observation observation) {
        double micros =
                loaded.responseMicros()
                        - loaded.micros(Part.ACCEPT.word())
                        - loaded.micros(Part.UNREAD.word())
                        - loaded.micros(Part.LOCK.word());
        return micros / 1e6 * observation.load().answersPerSecond();
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Remedy.raisingKnobs(experiment, id(), PRICE, _ -> 0);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "do less under the lock: no input or output, no waiting, no computing that needs no lock",
                        PRICE),
                new Advice(
                        "divide the lock: one for each key or partition, or a concurrent collection",
                        PRICE),
                new Advice("run more processes of the service", "memory of each process"));
    }
}
