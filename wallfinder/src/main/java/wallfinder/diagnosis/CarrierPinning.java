package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// Virtual threads wait without leaving the threads that carry them. There are only as many
/// carriers as CPUs, so other virtual threads cannot run while the CPU is idle. Before Java 24 a
/// `synchronized` block around the wait causes this (JEP 491).
///
/// This is a case of [ServerConcurrency] with a known cause. The proof is carriers that do not run
/// while a virtual thread is mounted on them.
public record CarrierPinning() implements Wall {
    /// A single sample may be chance.
    private static final double LOOKS_MIN = 2;

    /// With a fifth of the carriers free, a ready virtual thread soon finds one.
    private static final double HELD_SHARE = 0.8;

    /// One in twenty samples has a share that is smaller by this many standard errors.
    private static final double SELDOM_ERRORS = 1.645;

    /// If half of the carriers are blocked, twice as many such threads would occupy all of them.
    private static final double NEAR_SHARE = 0.5;

    @Override
    public WallId id() {
        return WallId.CARRIER_PINNING;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Series> virtual = virtual(observation);
        if (virtual.isEmpty()) {
            return new Judgement.Clear(this, "no JVM with virtual threads was seen");
        }
        Optional<Carriers> worst = worst(observation);
        if (worst.isEmpty()) {
            return new Judgement.Unknown(
                    this,
                    Missing.JVM,
                    "unknown: %s has virtual threads, but was not asked or did not answer"
                            .formatted(virtual.get().subject()));
        }
        Carriers carriers = worst.get();
        String summary =
                "%s of the carriers of %s were blocked with a virtual thread on them"
                        .formatted(
                                EvidenceFigures.percent(carriers.heldShare()), carriers.service());
        if (carriers.heldShare() < NEAR_SHARE) {
            return new Judgement.Clear(this, summary);
        }
        List<Evidence> evidence = evidence(observation, carriers, summary);
        if (carriers.surelyLess(HELD_SHARE)
                || symptoms.cpuSaturated()
                || (symptoms.known() && !symptoms.stopped())) {
            return new Judgement.Near(this, carriers.end(), evidence, summary);
        }
        return new Judgement.Binds(this, carriers.end(), harm(symptoms), evidence);
    }

    private static Harm harm(Symptoms symptoms) {
        if (symptoms.throughputBends() || !symptoms.known()) {
            return Harm.THROUGHPUT;
        }
        return symptoms.errorsBegin() || symptoms.leavesUnanswered() ? Harm.ERRORS : Harm.LATENCY;
    }

    private static Optional<Series> virtual(Observation observation) {
        return observation
                .timeline()
                .all(JvmFigure.VIRTUAL_THREADS)
                .filter(s -> s.max() > 0)
                .findFirst();
    }

    /// @param each the number of carriers, averaged over all looks
    private record Carriers(String service, End end, double looks, double each, double held) {
        double heldShare() {
            return Symptoms.share(held, each * looks);
        }

        /// Whether chance alone seldom shows so few held carriers. Between two requests a carrier
        /// is not held, and a short measurement has few looks.
        boolean surelyLess(double share) {
            double error = Math.sqrt(share * (1 - share) / (each * looks));
            return heldShare() < share - SELDOM_ERRORS * error;
        }
    }

    private static Optional<Carriers> worst(Observation observation) {
        return observation
                .timeline()
                .all(JvmFigure.CARRIER_LOOKS)
                .filter(s -> s.growth() >= LOOKS_MIN)
                .map(s -> carriers(observation, s))
                .max(Comparator.comparingDouble(Carriers::heldShare));
    }

    private static Carriers carriers(Observation observation, Series looks) {
        String service = looks.subject();
        End end = looks.end();
        double seen = observation.timeline().growth(JvmFigure.CARRIERS.of(service), end);
        return new Carriers(
                service,
                end,
                looks.growth(),
                seen / looks.growth(),
                observation.timeline().growth(JvmFigure.CARRIERS_HELD.of(service), end));
    }

    private static List<Evidence> evidence(
            Observation observation, Carriers carriers, String summary) {
        List<Evidence> evidence = new ArrayList<>();
        Key counter = JvmFigure.CARRIERS_HELD.of(carriers.service());
        String says =
                summary
                        + ", looked at %.0f times; there are %.1f of them"
                                .formatted(carriers.looks(), carriers.each());
        EvidenceFigures.find(observation, counter, carriers.end())
                .ifPresent(s -> evidence.add(EvidenceFigures.growth(s, says)));
        evidence.addAll(CpuEvidence.used(observation, carriers.end()));
        return evidence;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        String service = worst(observation).map(Carriers::service).orElse("");
        List<Remedy> remedies =
                new ArrayList<>(JvmRemedies.knobs(id(), observation, experiment, service));
        remedies.addAll(JvmRemedies.newer(observation, experiment, service));
        remedies.addAll(JvmRemedies.carriers(observation, experiment, service));
        return List.copyOf(remedies);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "run it on Java 24 or later, where synchronized does not pin", "an update"),
                new Advice(
                        "find where: -Djdk.tracePinnedThreads=full (Java 21 to 23), or the JFR event jdk.VirtualThreadPinned",
                        "your time"),
                new Advice("a ReentrantLock instead of synchronized around the wait", "code"),
                new Advice(
                        "more carriers: -Djdk.virtualThreadScheduler.parallelism=N",
                        "more platform threads"));
    }
}
