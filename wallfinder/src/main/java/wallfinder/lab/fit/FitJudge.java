package wallfinder.lab.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Gc;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.experiment.WallId;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.record.FitRecord.KnockOut;
import wallfinder.record.FitRecord.KnockOut.Kind;
import wallfinder.record.RunRecord;

/// Judges whether a memory limit was enough for a trial, and gives the evidence if it was not.
final class FitJudge {
    /// Rereading this many pages a second, at 0.1 ms each, takes a tenth of the time of a start.
    private static final double REFAULTS_PER_SECOND = 1_000;

    /// The heap is too small if garbage collection takes more than this share of the CPU time. A
    /// smaller share makes the service slower, and the objective decides whether it is too slow.
    private static final double COLLECTOR_SHARE = 0.5;

    /// The walls that more memory moves.
    private static final Map<WallId, Kind> OF_MEMORY =
            Map.of(WallId.HEAP, Kind.HEAP, WallId.GC, Kind.GC, WallId.PAGE_CACHE, Kind.PAGE_CACHE);

    private FitJudge() {}

    /// Whether a knock-out is independent of other load on the CPUs, as a kill or a full heap is.
    static boolean isCertain(KnockOut knockOut) {
        return switch (knockOut.kind()) {
            case MEMORY_LIMIT, HEAP, ENDED -> true;
            case GC, PAGE_CACHE, NOT_READY, OBJECTIVE -> false;
        };
    }

    /// Judges a service that got ready and met the load.
    ///
    /// @return null if the limit was enough
    static @Nullable KnockOut ofLoad(RunRecord.Trial trial, FitLife life) {
        KnockOut fatal = fatal(life);
        if (fatal != null) {
            return fatal;
        }
        boolean missed = Boolean.FALSE.equals(trial.objectiveMet());
        Diagnosis diagnosis = trial.diagnosis();
        for (Judgement.Binds binds :
                Stream.concat(Stream.ofNullable(diagnosis.headline()), diagnosis.also().stream())
                        .toList()) {
            Kind memory = OF_MEMORY.get(binds.wall().id());
            // The objective judges pauses that affect only the tail.
            boolean small = binds.harm() != Harm.LATENCY && !collectsSeldom(trial, binds);
            if (memory != null && (missed || small) && concerns(binds, life.service())) {
                List<String> evidence = binds.evidence().stream().map(Evidence::says).toList();
                return new KnockOut(memory, evidence);
            }
        }
        if (life.gone()) {
            return new KnockOut(Kind.ENDED, List.of("the service had ended after the load"));
        }
        return missed ? missed(trial, life) : null;
    }

    /// Whether a wall is that of the service. The experiment may have others, and a load command.
    /// Of several JVMs, each has the service's name and a number.
    private static boolean concerns(Judgement.Binds binds, String service) {
        List<String> subjects =
                binds.evidence().stream()
                        .map(Evidence::counter)
                        .filter(key -> key instanceof Key.Of)
                        .map(key -> ((Key.Of) key).subject())
                        .toList();
        return binds.end() == End.SERVER
                && (subjects.isEmpty()
                        || subjects.stream()
                                .anyMatch(one ->
                                        one.equals(service) || one.startsWith(service + "#")));
    }

    private static boolean collectsSeldom(RunRecord.Trial trial, Judgement.Binds binds) {
        return binds.wall().id() == WallId.GC && Gc.share(trial.observation()) < COLLECTOR_SHARE;
    }

    private static KnockOut missed(RunRecord.Trial trial, FitLife life) {
        List<String> evidence = new ArrayList<>();
        evidence.add(
                "the objective was missed; judged as "
                        + trial.diagnosis().wallId().orElse(trial.diagnosis().verdict().word()));
        evidence.addAll(life.memorySummary());
        return new KnockOut(Kind.OBJECTIVE, evidence);
    }

    /// Judges a service that did not get ready.
    static KnockOut ofStart(EnvironmentException failure, FitLife life) {
        KnockOut fatal = fatal(life);
        if (fatal != null) {
            return fatal;
        }
        List<String> evidence = new ArrayList<>();
        if (life.gone()) {
            evidence.add(String.valueOf(failure.getMessage()).replaceAll("\\s*\\n\\s*", " | "));
            return new KnockOut(Kind.ENDED, evidence);
        }
        evidence.add("it did not get ready in time, %.1f s".formatted(life.seconds()));
        evidence.addAll(life.memorySummary());
        if (life.refaults() > REFAULTS_PER_SECOND * life.seconds()) {
            evidence.add(
                    "it reread %,.0f pages of files, and waited for the disk for %,.0f of them"
                            .formatted(life.refaults(), life.majorFaults()));
            return new KnockOut(Kind.PAGE_CACHE, evidence);
        }
        if (life.collectorShare() > COLLECTOR_SHARE) {
            evidence.add(
                    "%.0f %% of its CPU time went into garbage collection"
                            .formatted(100 * life.collectorShare()));
            return new KnockOut(Kind.GC, evidence);
        }
        return new KnockOut(Kind.NOT_READY, evidence);
    }

    private static @Nullable KnockOut fatal(FitLife life) {
        List<String> evidence = new ArrayList<>();
        if (life.killed() > 0) {
            evidence.add(
                    "the kernel killed %.0f of the processes of %s for memory"
                            .formatted(life.killed(), life.service()));
            evidence.addAll(life.memorySummary());
            return new KnockOut(Kind.MEMORY_LIMIT, evidence);
        }
        if (life.heapErrors() > 0) {
            evidence.add(
                    "%s wrote OutOfMemoryError for its heap %.0f times"
                            .formatted(life.service(), life.heapErrors()));
            evidence.add(
                    "its heap may grow to %.0f MB"
                            .formatted(life.heapMaxBytes() / FitLife.MEGABYTE));
            return new KnockOut(Kind.HEAP, evidence);
        }
        return null;
    }
}
