package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// A process has all its descriptors open (`RLIMIT_NOFILE`), and every call that needs another one
/// fails with EMFILE. For `accept`, the kernel takes the descriptor before it looks at the queue
/// (`do_accept`, net/socket.c). So the connection stays in the accept queue: the client considers
/// it established, but never gets an answer.
///
/// No counter of the kernel moves. The proof is a process with all its descriptors in use, and
/// connections that wait to be accepted at the same instants, or requests that fail. A program that
/// needs two descriptors for one request, such as a proxy, uses the last one only for moments: it
/// accepts, fails and closes. What it writes to its log proves the wall, too.
///
/// With ENFILE the whole host has as many files open as it may have ([HostFiles]).
public record FileDescriptors() implements Wall {
    /// This share of the samples must show it; a smaller share may be a burst that has passed.
    static final double PROVEN_SHARE = 0.1;

    /// A log with refusals proves this wall if a sample saw half of the descriptors in use: moments
    /// in which all of them are in use are shorter than the pauses between samples. With fewer in
    /// use, the message is about another limit with the same error, such as watches of files.
    private static final double LOGGED_SHARE = 0.5;

    @Override
    public WallId id() {
        return WallId.FILE_DESCRIPTORS;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Judgement ofProcess = judgeProcess(observation, symptoms);
        if (ofProcess instanceof Judgement.Binds) {
            return ofProcess;
        }
        Optional<Judgement.Binds> ofHost = HostFiles.binds(this, observation, symptoms);
        return ofHost.isPresent() ? ofHost.get() : ofProcess;
    }

    private Judgement judgeProcess(Observation observation, Symptoms symptoms) {
        Optional<Use> fullest = fullest(observation);
        if (fullest.isEmpty()) {
            return new Judgement.Unknown(
                    this, Missing.READINGS, "unknown: the descriptors could not be counted");
        }
        Use use =
                fullest.map(Use::butOne)
                        .filter(one -> endsOneShort(observation, one))
                        .orElse(fullest.get());
        String summary =
                "%s had %.0f of its %.0f descriptors open"
                        .formatted(use.process(), use.used().max(), use.limit().last());
        if (use.share() < EvidenceFigures.NEAR_SHARE && !use.logged()) {
            return new Judgement.Clear(this, summary + " at most");
        }
        List<Evidence> evidence = evidence(observation, symptoms, use, summary);
        boolean harmed = symptoms.stopped() || !symptoms.known() || failed(observation) > 0;
        boolean proven = proven(observation, symptoms, use);
        return proven && harmed
                ? new Judgement.Binds(this, use.end(), harm(observation, symptoms), evidence)
                : new Judgement.Near(
                        this,
                        use.end(),
                        evidence,
                        summary + lacks(use, proven, observation.load()));
    }

    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        if (HostFiles.isEvidence(binds)) {
            return HostFiles.fullShare(observation);
        }
        return fullest(observation)
                .map(use -> Math.max(use.fullShare(), use.loggedShare(observation)))
                .orElse(0.0);
    }

    private static String lacks(Use use, boolean proven, LoadOutcome load) {
        if (proven) {
            return ", without harm to this load";
        }
        if (use.fullShare() == 0 || load instanceof LoadOutcome.Unseen) {
            return howLong(use);
        }
        return use.fullShare() < PROVEN_SHARE
                ? ", but all of them only briefly"
                : ", and no connection waited for a descriptor";
    }

    /// A process with its descriptors.
    ///
    /// @param log the refusals in its log, if any
    /// @param spare the number of free descriptors with which it still counts as full
    private record Use(Series used, Series limit, Optional<Series> log, int spare) {
        Use butOne() {
            return new Use(used, limit, log, 1);
        }

        /// Whether its log proves that it was refused descriptors.
        boolean logged() {
            return log.isPresent() && share() >= LOGGED_SHARE;
        }

        double loggedShare(Observation observation) {
            return logged()
                    ? log.map(s -> WatchedJudgement.growing(s, observation)).orElse(0.0)
                    : 0;
        }

        double share() {
            return limit.last() > 0 ? used.max() / limit.last() : 0;
        }

        boolean full(int instant) {
            return used.values()[instant] >= limit.values()[instant] - spare;
        }

        double fullShare() {
            return share(i -> true);
        }

        /// The share of the instants at which the process was full and another condition was true.
        double share(IntPredicate also) {
            int count = 0;
            for (int i = 0; i < used.values().length; i++) {
                count += full(i) && also.test(i) ? 1 : 0;
            }
            return Symptoms.share(count, used.values().length);
        }

        End end() {
            return used.end();
        }

        String process() {
            return used.subject();
        }
    }

    private static Optional<Use> fullest(Observation observation) {
        List<Use> uses = new ArrayList<>();
        for (End end : List.of(End.SERVER, End.CLIENT)) {
            for (Series used :
                    observation.timeline().all(ProcessFigure.DESCRIPTORS, end).toList()) {
                observation
                        .timeline()
                        .beside(used, ProcessFigure.DESCRIPTOR_LIMIT)
                        .filter(s -> used.max() > 0)
                        .ifPresent(s -> uses.add(new Use(used, s, log(observation, used), 0)));
            }
        }
        return uses.stream().max(Comparator.comparing(Use::logged).thenComparingDouble(Use::share));
    }

    private static Optional<Series> log(Observation observation, Series ofTheProcess) {
        return observation
                .timeline()
                .beside(ofTheProcess, LogFigure.DESCRIPTOR_ERRORS)
                .filter(s -> s.growth() > 0);
    }

    /// Whether the process fails with one descriptor left, because a request needs two.
    private static boolean endsOneShort(Observation observation, Use use) {
        return use.end() == End.SERVER
                && failed(observation) > 0
                && use.share(i -> waiting(observation, i) > 0) >= PROVEN_SHARE;
    }

    /// A server without descriptors leaves connections in its queue, answers with an error because
    /// it lacks a second descriptor, or closes connections without an answer. If a client has none,
    /// its own calls fail.
    private static boolean proven(Observation observation, Symptoms symptoms, Use use) {
        if (use.logged()) {
            return true;
        }
        if (use.fullShare() < PROVEN_SHARE) {
            return false;
        }
        return switch (observation.load()) {
            case LoadOutcome.Unseen _ -> use.fullShare() >= WatchedJudgement.MOST;
            case LoadOutcome.Driven _, LoadOutcome.Command _ ->
                    use.end() == End.CLIENT
                            ? symptoms.errorsBegin() || !observation.load().countsErrors()
                            : failed(observation) > 0
                                    || (symptoms.errorsBegin() && closed(observation) > 0)
                                    || use.share(i -> waiting(observation, i) > 0) >= PROVEN_SHARE;
        };
    }

    /// Connections that wait to be accepted, at one instant.
    static double waiting(Observation observation, int instant) {
        return observation
                .timeline()
                .all(ListenFigure.QUEUE, End.SERVER)
                .mapToDouble(s -> s.values()[instant])
                .filter(queue -> queue > 0)
                .sum();
    }

    /// Answers with a server error.
    static long failed(Observation observation) {
        return observation.load().errors(ErrorKind.STATUS_5XX);
    }

    /// Requests whose connection the service closed without an answer.
    static long closed(Observation observation) {
        return observation.load().errors(ErrorKind.CLOSED)
                + observation.load().errors(ErrorKind.RESET);
    }

    static Harm harm(Observation observation, Symptoms symptoms) {
        return failed(observation) > 0 ? Harm.ERRORS : symptoms.harm(Harm.ERRORS);
    }

    private static List<Evidence> evidence(
            Observation observation, Symptoms symptoms, Use use, String summary) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(EvidenceFigures.level(use.used(), use.limit().last(), summary + howLong(use)));
        use.log()
                .map(log ->
                        EvidenceFigures.growth(
                                log,
                                "its log has %.0f messages that there are too many open files"
                                        .formatted(log.growth())))
                .ifPresent(evidence::add);
        if (use.end() == End.CLIENT) {
            return evidence;
        }
        for (Series queue : observation.timeline().all(ListenFigure.QUEUE, End.SERVER).toList()) {
            queueEvidence(queue, use).ifPresent(evidence::add);
        }
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.LISTEN_OVERFLOWS,
                        End.SERVER,
                        "the accept queue behind it overflowed %.0f times"::formatted)
                .filter(_ -> observation.facts().ownCounters(End.SERVER))
                .ifPresent(evidence::add);
        if (symptoms.leavesUnanswered()) {
            evidence.add(EvidenceFigures.unanswered(observation, symptoms));
        }
        if (symptoms.failedTimeShare() >= Symptoms.FAILED_TIME_SHARE) {
            evidence.add(EvidenceFigures.failedTime(observation.load(), symptoms));
        }
        evidence.addAll(failures(observation));
        return evidence;
    }

    private static String howLong(Use use) {
        if (use.fullShare() == 0) {
            return " at most";
        }
        return ", all of them%s in %s of the time"
                .formatted(
                        use.spare() == 0 ? "" : " but one, or all,",
                        EvidenceFigures.percent(use.fullShare()));
    }

    /// Server errors and closed connections, if there are any.
    static List<Evidence> failures(Observation observation) {
        List<Evidence> evidence = new ArrayList<>();
        if (closed(observation) > 0) {
            evidence.add(
                    EvidenceFigures.seen(
                            ErrorKind.CLOSED.word(),
                            End.CLIENT,
                            closed(observation),
                            "generator",
                            "the service closed %d connections without an answer"
                                    .formatted(closed(observation))));
        }
        if (failed(observation) > 0) {
            evidence.add(
                    EvidenceFigures.seen(
                            ErrorKind.STATUS_5XX.word(),
                            End.CLIENT,
                            failed(observation),
                            "generator",
                            "the service answered %d requests with a server error"
                                    .formatted(failed(observation))));
        }
        return evidence;
    }

    private static Optional<Evidence> queueEvidence(Series queue, Use use) {
        double longest = 0;
        for (int i = 0; i < queue.values().length; i++) {
            longest = use.full(i) && queue.values()[i] > longest ? queue.values()[i] : longest;
        }
        return longest == 0
                ? Optional.empty()
                : Optional.of(
                        EvidenceFigures.of(
                                queue,
                                Basis.LEVEL,
                                null,
                                longest,
                                null,
                                "meanwhile %.0f connections waited to be accepted"
                                        .formatted(longest)));
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    /// The smaller of the given limit and the service's own setting applies, so a remedy may raise
    /// both.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        Optional<Use> use = fullest(observation);
        if (use.isEmpty() || HostFiles.isEvidence(binds)) {
            return List.of();
        }
        long inForce = (long) use.get().limit().last();
        long target = target(observation, inForce);
        List<Change> changes = new ArrayList<>();
        for (ServiceSpec service : experiment.programs()) {
            if (!service.name().equals(use.get().process())) {
                continue;
            }
            Change.raised(experiment, id(), 1, _ -> target).stream()
                    .filter(change ->
                            change.setting() instanceof Setting.OfKnob(var owner, _)
                                    && owner.equals(service.name()))
                    .forEach(changes::add);
            Long given = service.limits().nofile();
            if (given == null ? changes.isEmpty() && inForce < target : given < target) {
                changes.add(
                        new Change(
                                new Setting.OfLimit(service.name(), Limits.Kind.NOFILE),
                                Long.toString(given == null ? inForce : given),
                                Long.toString(target)));
            }
        }
        return changes.isEmpty()
                ? List.of()
                : List.of(
                        new Remedy(
                                List.copyOf(changes),
                                "kernel memory, but only for descriptors that are open"));
    }

    private static long target(Observation observation, long inForce) {
        long target = EvidenceFigures.roomier(inForce, observation);
        Long most = observation.facts().most().nofile();
        return most == null ? target : Math.min(target, most);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        if (HostFiles.isEvidence(binds)) {
            return HostFiles.advice(observation);
        }
        long target =
                target(
                        observation,
                        fullest(observation).map(u -> (long) u.limit().last()).orElse(1024L));
        return List.of(
                new Advice(
                        "ls -l /proc/PID/fd: if most are not connections, find what is never closed",
                        "your time"),
                new Advice(
                        "LimitNOFILE=%1$d in its systemd unit, docker --ulimit nofile=%1$d:%1$d, or ulimit -n %1$d before it starts"
                                .formatted(target),
                        "kernel memory, but only for descriptors that are open"));
    }
}
