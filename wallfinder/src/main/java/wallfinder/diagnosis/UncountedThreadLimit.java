package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// Limits on threads whose refusals the kernel does not count. The proof is a level at its limit,
/// with requests that fail or messages in the log. It is a part of the wall [ThreadLimit].
enum UncountedThreadLimit {
    /// `RLIMIT_NPROC` (`copy_process`, kernel/fork.c).
    USER(
            ProcessFigure.USER_TASKS,
            ProcessFigure.USER_TASK_LIMIT,
            1,
            "the user of %s had %.0f of the %.0f processes and threads that he may have",
            "LimitNPROC= in its systemd unit, docker --ulimit nproc=N:N, or ulimit -u N before it starts",
            "memory for the stacks of more threads"),

    /// `vm.max_map_count` (`mmap`, mm/mmap.c). A stack with its guard pages takes several maps, so
    /// a few may be left.
    MAPS(
            ProcessFigure.MAPS,
            ProcessFigure.MAP_LIMIT,
            0.999,
            "a process of %s had %.0f of the %.0f memory maps that it may have",
            "sysctl -w vm.max_map_count=N, or fewer mapped files",
            "kernel memory for each map");

    private final ProcessFigure level;
    private final ProcessFigure limit;
    private final double fullShare;
    private final String says;
    private final String advice;
    private final String price;

    UncountedThreadLimit(
            ProcessFigure level,
            ProcessFigure limit,
            double fullShare,
            String says,
            String advice,
            String price) {
        this.level = level;
        this.limit = limit;
        this.fullShare = fullShare;
        this.says = says;
        this.advice = advice;
        this.price = price;
    }

    /// The first of these limits that binds, or the first that a service has reached. All services
    /// of a user reach his limit together, and perhaps only one of them needs more threads.
    static Optional<Judgement> judge(Wall wall, Observation observation, Symptoms symptoms) {
        List<Judgement> judged =
                Stream.of(values())
                        .flatMap(one ->
                                one.reached(observation)
                                        .map(s -> one.judge(wall, s, observation, symptoms)))
                        .toList();
        return judged.stream()
                .filter(one -> one instanceof Judgement.Binds)
                .findFirst()
                .or(() -> judged.stream().findFirst());
    }

    private Judgement judge(Wall wall, Series reached, Observation observation, Symptoms symptoms) {
        List<Evidence> evidence = evidence(reached, observation, symptoms);
        boolean proven = proven(reached, observation, symptoms);
        if (proven && (symptoms.stopped() || !symptoms.known())) {
            return new Judgement.Binds(wall, reached.end(), symptoms.harm(Harm.ERRORS), evidence);
        }
        return new Judgement.Near(
                wall,
                reached.end(),
                evidence,
                says(reached, observation)
                        + (proven
                                ? ", without harm to this load"
                                : ", but it is not known to need more"));
    }

    /// The levels of the services that reached the limit.
    private Stream<Series> reached(Observation observation) {
        return observation
                .timeline()
                .all(level)
                .filter(s -> share(s, observation) >= FileDescriptors.PROVEN_SHARE);
    }

    private double share(Series s, Observation observation) {
        double full = fullShare * limit(s, observation);
        return WatchedJudgement.share(s, value -> value >= full);
    }

    private double limit(Series s, Observation observation) {
        return observation.timeline().beside(s, limit).map(Series::last).orElse(Double.NaN);
    }

    private boolean proven(Series reached, Observation observation, Symptoms symptoms) {
        return log(reached, observation).isPresent()
                || switch (observation.load()) {
                    case LoadOutcome.Unseen _ -> false;
                    case LoadOutcome.Driven _, LoadOutcome.Command _ ->
                            reached.end() == End.CLIENT
                                    ? symptoms.errorsBegin()
                                    : symptoms.leavesUnanswered()
                                            || (symptoms.errorsBegin()
                                                    && failedOrClosed(observation) > 0);
                };
    }

    private static long failedOrClosed(Observation observation) {
        return FileDescriptors.failed(observation) + FileDescriptors.closed(observation);
    }

    /// Messages in the log of a service that a thread could not be started.
    static Optional<Series> log(Series ofTheService, Observation observation) {
        return observation
                .timeline()
                .beside(ofTheService, LogFigure.THREAD_ERRORS)
                .filter(s -> s.growth() > 0);
    }

    static Optional<Evidence> logEvidence(Series ofTheService, Observation observation) {
        return log(ofTheService, observation)
                .map(s ->
                        EvidenceFigures.growth(
                                s,
                                "its log has %.0f messages that a thread could not be started"
                                        .formatted(s.growth())));
    }

    private List<Evidence> evidence(Series reached, Observation observation, Symptoms symptoms) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(
                EvidenceFigures.level(
                        reached, limit(reached, observation), says(reached, observation)));
        logEvidence(reached, observation).ifPresent(evidence::add);
        if (symptoms.leavesUnanswered()) {
            evidence.add(EvidenceFigures.unanswered(observation, symptoms));
        }
        evidence.addAll(FileDescriptors.failures(observation));
        return evidence;
    }

    private String says(Series reached, Observation observation) {
        return says.formatted(reached.subject(), reached.max(), limit(reached, observation));
    }

    /// The limit that this judgement is about; empty for that of a cgroup.
    static Optional<UncountedThreadLimit> of(Judgement.Binds binds) {
        return Stream.of(values())
                .filter(one -> binds.evidence().stream().anyMatch(e -> e.counter().isOf(one.level)))
                .findFirst();
    }

    /// The share of a watch in which it was reached.
    double lasted(Observation observation) {
        return reached(observation).mapToDouble(s -> share(s, observation)).max().orElse(0);
    }

    Advice advice() {
        return new Advice(advice, price);
    }
}
