package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.ShaperFigure;

/// A network link is at its speed, or a shaper on it at its rate: the answers or the requests wait
/// to be sent (`tbf_dequeue`, net/sched/sch_tbf.c; `htb_dequeue`, net/sched/sch_htb.c).
///
/// A small pool of workers with large answers has the same symptom, but does not fill the link. A
/// veth link is never full: its speed is a number that nothing enforces.
public record Bandwidth() implements Wall {
    /// What is missing goes into the space between two frames, retransmits, and the moments without
    /// load at the beginning and the end.
    private static final double FULL_SHARE = 0.9;

    /// Connections slow down after each loss, so a shaper with a short queue is not always full.
    private static final double DROPPING_FULL_SHARE = 0.5;

    /// Such a shaper must drop packets in this share of the seconds. One burst proves nothing.
    private static final double DROPPING_TIME_SHARE = 0.5;

    @Override
    public WallId id() {
        return WallId.BANDWIDTH;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        List<LinkUse> uses = LinkUse.of(observation);
        if (uses.isEmpty()) {
            return LinkUse.read(observation)
                    ? new Judgement.Clear(this, "no network link has a known speed or a shaper")
                    : new Judgement.Unknown(
                            this, Missing.READINGS, "unknown: the network links were not read");
        }
        // Both ends may read the same link of a host. The answers pass it in one direction.
        LinkUse most =
                uses.stream()
                        .max(
                                Comparator.comparing((LinkUse use) -> isFull(observation, use))
                                        .thenComparing(use -> use.carriesTheLoad(observation))
                                        .thenComparingDouble(LinkUse::share))
                        .orElseThrow();
        if (!isFull(observation, most)) {
            return most.share() < EvidenceFigures.NEAR_SHARE
                    ? new Judgement.Clear(this, most.describe())
                    : near(observation, most, "");
        }
        if (!most.carriesTheLoad(observation)) {
            return near(observation, most, ", but most of that is not the answers of this load");
        }
        if (symptoms.known() && !symptoms.surelyStopped()) {
            return near(observation, most, ", without harm to this load");
        }
        return new Judgement.Binds(
                this, most.end(), symptoms.harm(Harm.THROUGHPUT), evidence(observation, most));
    }

    private Judgement near(Observation observation, LinkUse use, String but) {
        return new Judgement.Near(
                this, use.end(), evidence(observation, use), use.describe() + but);
    }

    private static boolean isFull(Observation observation, LinkUse use) {
        if (!use.isShaper()) {
            return use.share() >= FULL_SHARE;
        }
        boolean waited = grew(use.figure(observation, ShaperFigure.OVERLIMITS));
        boolean dropped =
                use.figure(observation, ShaperFigure.DROPS)
                        .filter(drops ->
                                WatchedJudgement.growing(drops, observation) >= DROPPING_TIME_SHARE)
                        .isPresent();
        return (waited && use.share() >= FULL_SHARE)
                || (dropped && use.share() >= DROPPING_FULL_SHARE);
    }

    private static boolean grew(Optional<Series> counter) {
        return counter.filter(series -> series.growth() > 0).isPresent();
    }

    private static List<Evidence> evidence(Observation observation, LinkUse use) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(EvidenceFigures.growth(use.bytes(), use.describe()));
        evidence.add(
                EvidenceFigures.limit(
                        use.rate(),
                        "%s may carry %s"
                                .formatted(
                                        use.bytes().subject(),
                                        LinkUse.megabits(use.rate().last()))));
        use.figure(observation, ShaperFigure.BACKLOG)
                .filter(backlog -> backlog.max() > 0)
                .map(backlog ->
                        EvidenceFigures.largest(
                                backlog,
                                null,
                                "up to %.0f bytes were seen waiting there"
                                        .formatted(backlog.max())))
                .ifPresent(evidence::add);
        addGrown(
                use.figure(observation, ShaperFigure.OVERLIMITS),
                "the shaper held packets back %.0f times",
                evidence);
        addGrown(
                use.figure(observation, ShaperFigure.DROPS),
                "%.0f packets were dropped because its queue was full",
                evidence);
        evidence.addAll(CpuEvidence.used(observation, use.end()));
        return evidence;
    }

    private static void addGrown(Optional<Series> counter, String says, List<Evidence> evidence) {
        counter.filter(series -> series.growth() > 0)
                .map(series -> EvidenceFigures.growth(series, says.formatted(series.growth())))
                .ifPresent(evidence::add);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Remedy.raisingKnobs(
                experiment,
                id(),
                "less of the link for others",
                knob -> Remedy.FACTOR * EvidenceFigures.number(knob.value()));
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        boolean link =
                binds.evidence().stream().anyMatch(e -> e.subject(LinkFigure.SPEED).isPresent());
        return List.of(
                new Advice(
                        "send less: compress answers, leave out what clients do not use, let them keep copies (ETag, Cache-Control)",
                        "CPU time, your time"),
                link
                        ? new Advice("a faster link, or several (bonding)", "money")
                        : new Advice(
                                "raise the shaper's rate: tc qdisc change, or tc class change",
                                "less of the link for others"));
    }
}
