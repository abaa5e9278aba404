package wallfinder.lab.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Gc;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Heap;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.MemoryLimit;
import wallfinder.diagnosis.PageCache;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.FitRecord.KnockOut;
import wallfinder.record.RunRecord;

/// Whether a memory limit was enough for a trial, and by which evidence it was not.
final class FitJudge {
    static final String NOT_READY = "not-ready";
    static final String ENDED = "ended";
    static final String OBJECTIVE = "objective";

    private static final String MEMORY_LIMIT = new MemoryLimit().id();
    private static final String HEAP = new Heap().id();
    private static final String GC = new Gc().id();
    private static final String PAGE_CACHE = new PageCache().id();

    /// A start that reads as many pages again each second, at a tenth of a millisecond each, spends
    /// a tenth of its time on them.
    private static final double REFAULTS_PER_SECOND = 1_000;

    /// Who collects for half of the time does nothing else so much: the heap is too small. Less
    /// than that makes it slower, and whether that is slow the objective tells.
    private static final double COLLECTOR_SHARE = 0.5;

    private FitJudge() {}

    /// A kill and a heap that is full do not depend on who had the CPU.
    static boolean isCertain(KnockOut knockOut) {
        return Set.of(MEMORY_LIMIT, HEAP, ENDED).contains(knockOut.kind());
    }

    /// @return null if the limit was enough
    static @Nullable KnockOut ofLoad(RunRecord.Trial trial, FitLife life) {
        KnockOut fatal = fatal(life);
        if (fatal != null) {
            return fatal;
        }
        boolean missed = Boolean.FALSE.equals(trial.objectiveMet());
        for (Judgement.Binds binds : bound(trial.diagnosis())) {
            boolean memory = Set.of(HEAP, GC, PAGE_CACHE).contains(binds.wall().id());
            // Pauses that are seen in the tail alone are for the objective to judge.
            boolean small = binds.harm() != Harm.LATENCY && !collectsSeldom(trial, binds);
            if (memory && (missed || small)) {
                List<String> evidence = binds.evidence().stream().map(Evidence::says).toList();
                return new KnockOut(binds.wall().id(), evidence);
            }
        }
        if (life.gone()) {
            return new KnockOut(ENDED, List.of("the service was gone after the load"));
        }
        return missed ? missed(trial, life) : null;
    }

    private static boolean collectsSeldom(RunRecord.Trial trial, Judgement.Binds binds) {
        return binds.wall().id().equals(GC) && Gc.share(trial.observation()) < COLLECTOR_SHARE;
    }

    private static List<Judgement.Binds> bound(Diagnosis diagnosis) {
        return Stream.concat(Stream.ofNullable(diagnosis.headline()), diagnosis.also().stream())
                .toList();
    }

    private static KnockOut missed(RunRecord.Trial trial, FitLife life) {
        List<String> evidence = new ArrayList<>();
        evidence.add(
                "the objective was missed; judged as "
                        + trial.diagnosis().wallId().orElse(trial.diagnosis().verdict().word()));
        evidence.addAll(life.told());
        return new KnockOut(OBJECTIVE, evidence);
    }

    /// Of a service that did not get ready.
    static KnockOut ofStart(EnvironmentException failure, FitLife life) {
        KnockOut fatal = fatal(life);
        if (fatal != null) {
            return fatal;
        }
        List<String> evidence = new ArrayList<>();
        if (life.gone()) {
            evidence.add(String.valueOf(failure.getMessage()).replaceAll("\\s*\\n\\s*", " | "));
            return new KnockOut(ENDED, evidence);
        }
        evidence.add("it did not get ready in time, %.1f s".formatted(life.seconds()));
        evidence.addAll(life.told());
        if (life.refaults() > REFAULTS_PER_SECOND * life.seconds()) {
            evidence.add(
                    "%,.0f pages of files had to be read again, and it stood still for %,.0f of them"
                            .formatted(life.refaults(), life.majorFaults()));
            return new KnockOut(PAGE_CACHE, evidence);
        }
        if (life.collectorShare() > COLLECTOR_SHARE) {
            evidence.add(
                    "%.0f %% of its CPU time went into collecting garbage"
                            .formatted(100 * life.collectorShare()));
            return new KnockOut(GC, evidence);
        }
        return new KnockOut(NOT_READY, evidence);
    }

    private static @Nullable KnockOut fatal(FitLife life) {
        List<String> evidence = new ArrayList<>();
        if (life.killed() > 0) {
            evidence.add(
                    "the kernel killed %.0f process(es) of %s for memory"
                            .formatted(life.killed(), life.service()));
            evidence.addAll(life.told());
            return new KnockOut(MEMORY_LIMIT, evidence);
        }
        if (life.heapErrors() > 0) {
            evidence.add(
                    "%s wrote OutOfMemoryError for its heap %.0f times"
                            .formatted(life.service(), life.heapErrors()));
            evidence.add(
                    "its heap may grow to %.0f MB"
                            .formatted(life.heapMaxBytes() / FitLife.MEGABYTE));
            return new KnockOut(HEAP, evidence);
        }
        return null;
    }
}
