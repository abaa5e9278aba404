package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// A process has as many descriptors open as it may (`RLIMIT_NOFILE`), and every call that needs
/// one more fails with EMFILE. For `accept` the kernel takes the descriptor before it looks at the
/// queue (`do_accept`, net/socket.c), so the connection stays in the accept queue: established for
/// the client, and never answered.
///
/// No counter of the kernel moves. The proof is a process with all its descriptors in use at the
/// same instants at which connections wait and nobody takes them. Who needs two for one piece of
/// work, as a proxy does, has the last one for moments only: accepted, failed, closed.
public record FileDescriptors() implements Wall {
    /// Instants that prove it, of all that were sampled; fewer may be a burst that has passed.
    private static final double PROVEN_SHARE = 0.1;

    @Override
    public WallId id() {
        return WallId.FILE_DESCRIPTORS;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Use> fullest = fullest(observation);
        if (fullest.isEmpty()) {
            return new Judgement.Unknown(
                    this, Missing.READINGS, "unknown: nobody's descriptors could be counted");
        }
        Use use =
                fullest.map(Use::butOne)
                        .filter(one -> endsOneShort(observation, one))
                        .orElse(fullest.get());
        String told =
                "%s had %.0f of its %.0f descriptors open"
                        .formatted(use.process(), use.used().max(), use.limit().last());
        if (use.share() < EvidenceFigures.NEAR_SHARE) {
            return new Judgement.Clear(this, told + " at most");
        }
        List<Evidence> evidence = evidence(observation, symptoms, use, told);
        boolean harmed = symptoms.stopped() || !symptoms.known() || failed(observation) > 0;
        boolean proven = proven(observation, symptoms, use);
        return proven && harmed
                ? new Judgement.Binds(this, use.end(), harm(observation, symptoms), evidence)
                : new Judgement.Near(this, use.end(), evidence, told + lacks(use, proven));
    }

    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return fullest(observation).map(Use::fullShare).orElse(0.0);
    }

    /// What is missing before it can be named.
    private static String lacks(Use use, boolean proven) {
        if (proven) {
            return ", without harm to this load";
        }
        return use.fullShare() < PROVEN_SHARE
                ? ", and never all for long"
                : ", and nobody was seen to wait for one more";
    }

    /// A process, by what was read of it.
    ///
    /// @param spare how many it may have left and be full all the same
    private record Use(Series used, Series limit, int spare) {
        Use butOne() {
            return new Use(used, limit, 1);
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

        /// The share of the instants at which it was full and something else was so, too.
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
                        .ifPresent(s -> uses.add(new Use(used, s, 0)));
            }
        }
        return uses.stream().max(Comparator.comparingDouble(Use::share));
    }

    /// Whether it stops one descriptor short, for want of two.
    private static boolean endsOneShort(Observation observation, Use use) {
        return use.end() == End.SERVER
                && failed(observation) > 0
                && use.share(i -> waiting(observation, i) > 0) >= PROVEN_SHARE;
    }

    /// A server without descriptors leaves connections in its queue, or fails at what it needs
    /// another one for and says so; a client fails itself.
    private static boolean proven(Observation observation, Symptoms symptoms, Use use) {
        if (use.fullShare() < PROVEN_SHARE) {
            return false;
        }
        return switch (observation.load()) {
            case LoadOutcome.Unseen _ -> use.fullShare() >= WatchedJudgement.MOST;
            case LoadOutcome.Driven _, LoadOutcome.Command _ ->
                    use.end() == End.CLIENT
                            ? symptoms.errorsBegin() || !observation.load().countsErrors()
                            : failed(observation) > 0
                                    || use.share(i -> waiting(observation, i) > 0) >= PROVEN_SHARE;
        };
    }

    /// Connections that wait to be accepted, at one instant.
    private static double waiting(Observation observation, int instant) {
        return observation
                .timeline()
                .all(ListenFigure.QUEUE, End.SERVER)
                .mapToDouble(s -> s.values()[instant])
                .filter(queue -> queue > 0)
                .sum();
    }

    /// Answers that say that the service failed.
    static long failed(Observation observation) {
        return observation.load().errors(ErrorKind.STATUS_5XX);
    }

    private static Harm harm(Observation observation, Symptoms symptoms) {
        boolean errors =
                symptoms.errorsBegin() || symptoms.leavesUnanswered() || failed(observation) > 0;
        if (errors || !symptoms.known()) {
            return Harm.ERRORS;
        }
        return symptoms.throughputBends() ? Harm.THROUGHPUT : Harm.LATENCY;
    }

    private static List<Evidence> evidence(
            Observation observation, Symptoms symptoms, Use use, String told) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(
                EvidenceFigures.level(
                        use.used(),
                        use.limit().last(),
                        "%s, all of them%s in %s of the time"
                                .formatted(
                                        told,
                                        use.spare() == 0 ? "" : " but one, or all,",
                                        EvidenceFigures.percent(use.fullShare()))));
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
                        "behind it the accept queue overflowed %.0f times"::formatted)
                .filter(_ -> observation.facts().ownCounters())
                .ifPresent(evidence::add);
        if (symptoms.leavesUnanswered()) {
            evidence.add(EvidenceFigures.unanswered(observation, symptoms));
        }
        if (symptoms.failedTimeShare() >= Symptoms.FAILED_TIME_SHARE) {
            evidence.add(EvidenceFigures.failedTime(observation.load(), symptoms));
        }
        if (failed(observation) > 0) {
            evidence.add(
                    EvidenceFigures.seen(
                            ErrorKind.STATUS_5XX.word(),
                            End.CLIENT,
                            failed(observation),
                            "generator",
                            "the service answered %d times that it failed"
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
                        new Evidence(
                                queue.counter().key(),
                                End.SERVER,
                                Basis.LEVEL,
                                null,
                                longest,
                                null,
                                queue.counter().source(),
                                "meanwhile %.0f connections waited that nobody accepted"
                                        .formatted(longest)));
    }

    /// The limit in force is the smaller of the one the service was given and the one it sets for
    /// itself: what is smaller than the target has to be raised.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        Optional<Use> use = fullest(observation);
        if (use.isEmpty()) {
            return List.of();
        }
        long inForce = (long) use.get().limit().last();
        long target = target(observation, inForce);
        List<Change> changes = new ArrayList<>();
        for (ServiceSpec service : experiment.programs()) {
            if (!service.name().equals(use.get().process())) {
                continue;
            }
            service.knobs()
                    .forEach((name, knob) ->
                            raise(new Setting.OfKnob(service.name(), name), knob, target)
                                    .ifPresent(changes::add));
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
                                "kernel memory only for what is really open"));
    }

    private Optional<Change> raise(Setting.OfKnob setting, Knob knob, long wanted) {
        long value = EvidenceFigures.number(knob.value());
        long target = Math.min(wanted, knob.max() == null ? Long.MAX_VALUE : knob.max());
        return knob.moves() == id() && value > 0 && value < target
                ? Optional.of(new Change(setting, knob.value(), Long.toString(target)))
                : Optional.empty();
    }

    private static long target(Observation observation, long inForce) {
        long target = EvidenceFigures.roomier(inForce, observation);
        Long most = observation.facts().most().nofile();
        return most == null ? target : Math.min(target, most);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        long target =
                target(
                        observation,
                        fullest(observation).map(u -> (long) u.limit().last()).orElse(1024L));
        return List.of(
                new Advice(
                        "ls -l /proc/PID/fd: if it is not the connections, find what is never closed",
                        "your time"),
                new Advice(
                        "LimitNOFILE=%1$d in its systemd unit, docker --ulimit nofile=%1$d:%1$d, or ulimit -n %1$d before it starts"
                                .formatted(target),
                        "kernel memory only for what is really open"));
    }
}
