package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The whole host has as many files and sockets open as `fs.file-max` allows: every call of a
/// program without CAP_SYS_ADMIN that needs another one fails with ENFILE (`alloc_empty_file`,
/// fs/file_table.c). It is a part of the wall [FileDescriptors].
final class HostFiles {
    /// The kernel sums its count up from time to time, so the number that it prints may be too
    /// small by some dozens of files for each CPU.
    private static final double FULL_SHARE = 0.99;

    private HostFiles() {}

    static Optional<Judgement.Binds> binds(Wall wall, Observation observation, Symptoms symptoms) {
        Optional<Series> files =
                EvidenceFigures.find(observation, EndFigure.HOST_FILES, End.SERVER);
        boolean harmed =
                symptoms.stopped() || !symptoms.known() || FileDescriptors.failed(observation) > 0;
        if (files.isEmpty() || !harmed || !proven(observation, symptoms)) {
            return Optional.empty();
        }
        return Optional.of(
                new Judgement.Binds(
                        wall,
                        End.SERVER,
                        FileDescriptors.harm(observation, symptoms),
                        evidence(observation, symptoms, files.get())));
    }

    /// Programs of root may open more, so a full table alone proves nothing.
    private static boolean proven(Observation observation, Symptoms symptoms) {
        if (fullShare(observation) < FileDescriptors.PROVEN_SHARE) {
            return false;
        }
        if (log(observation).isPresent()) {
            return true;
        }
        return switch (observation.load()) {
            case LoadOutcome.Unseen _ ->
                    share(observation, i -> FileDescriptors.waiting(observation, i) > 0)
                            >= WatchedJudgement.MOST;
            case LoadOutcome.Driven _, LoadOutcome.Command _ ->
                    FileDescriptors.failed(observation) > 0
                            || (symptoms.errorsBegin() && FileDescriptors.closed(observation) > 0)
                            || share(observation, i -> FileDescriptors.waiting(observation, i) > 0)
                                    >= FileDescriptors.PROVEN_SHARE;
        };
    }

    private static Optional<Series> log(Observation observation) {
        return EvidenceFigures.worst(observation, LogFigure.DESCRIPTOR_ERRORS, s -> s.growth() > 0);
    }

    /// The share of the instants at which the host had no file left.
    static double fullShare(Observation observation) {
        return share(observation, _ -> true);
    }

    private static double share(Observation observation, IntPredicate also) {
        Optional<Series> files =
                EvidenceFigures.find(observation, EndFigure.HOST_FILES, End.SERVER);
        if (files.isEmpty()) {
            return 0;
        }
        double[] values = files.get().values();
        double full = FULL_SHARE * limit(observation);
        int count = 0;
        for (int i = 0; i < values.length; i++) {
            count += values[i] >= full && also.test(i) ? 1 : 0;
        }
        return Symptoms.share(count, values.length);
    }

    private static double limit(Observation observation) {
        return observation.timeline().last(EndFigure.HOST_FILES_LIMIT, End.SERVER);
    }

    private static List<Evidence> evidence(
            Observation observation, Symptoms symptoms, Series files) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(
                EvidenceFigures.level(
                        files,
                        limit(observation),
                        "the host had %.0f of its %.0f files open, nearly all of them in %s of the time"
                                .formatted(
                                        files.max(),
                                        limit(observation),
                                        EvidenceFigures.percent(fullShare(observation)))));
        log(observation)
                .map(s ->
                        EvidenceFigures.growth(
                                s,
                                "the log of %s has %.0f messages that there are too many open files"
                                        .formatted(s.subject(), s.growth())))
                .ifPresent(evidence::add);
        if (symptoms.leavesUnanswered()) {
            evidence.add(EvidenceFigures.unanswered(observation, symptoms));
        }
        evidence.addAll(FileDescriptors.failures(observation));
        return evidence;
    }

    /// Whether the host's limit is what binds.
    static boolean isEvidence(Judgement.Binds binds) {
        return !binds.evidence().isEmpty()
                && binds.evidence().getFirst().counter().equals(EndFigure.HOST_FILES);
    }

    static List<Advice> advice(Observation observation) {
        return List.of(
                new Advice(
                        "look for the program with the most files: ls /proc/PID/fd | wc -l",
                        "your time"),
                new Advice(
                        "sysctl -w fs.file-max=%.0f".formatted(Remedy.FACTOR * limit(observation)),
                        "kernel memory, but only for files that are open"));
    }
}
