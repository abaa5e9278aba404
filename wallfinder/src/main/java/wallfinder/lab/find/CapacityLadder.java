package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Remedies;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.NotStarted;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.record.Applied;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// Raises the capacity of services: finds it and the wall directly above, tries the remedies of
/// that wall, keeps the first that is proven to raise the capacity, and goes on from there.
public final class CapacityLadder {
    /// Each rung takes many minutes.
    private static final int RUNGS_MAX = 5;

    private final RateTrials rates;
    private final CapacityPairs pairs;
    private final Progress progress;
    private final List<RunRecord.Trial> trials = new ArrayList<>();
    private final List<RunRecord.Rung> ladder = new ArrayList<>();
    private @Nullable CapacityRecord capacity;

    /// Why a remedy of the last rung could not be tested, if one could not.
    private @Nullable String unproven;

    private Capacity.End end = Capacity.End.INTERRUPTED;

    public CapacityLadder(Objective objective, TrialHosts hosts) {
        this(
                new RateTrials.Real(objective, hosts),
                hosts.context().interruption(),
                hosts.context().progress());
    }

    CapacityLadder(RateTrials rates, Interruption interruption, Progress progress) {
        this.rates = rates;
        this.progress = progress;
        pairs = new CapacityPairs(rates, interruption, progress, trials);
    }

    /// @param found the capacity of the last rung, and how its search ended
    public record Result(List<RunRecord.Rung> ladder, Capacity.Result found) {}

    /// Refuses an experiment whose capacity cannot be raised.
    ///
    /// @throws UsageException if it has no objective that a rate can hold, or sends no requests
    public static Objective check(Experiment experiment) {
        Objective objective =
                Capacity.checked(
                        experiment.objective(),
                        "`goal: capacity`",
                        "add one to the experiment, as in 'objective: p99 < 50ms'");
        Capacity.http(experiment);
        return objective;
    }

    /// Climbs until it ends or fails, or the user stops it. The result contains what was measured
    /// until then.
    public Result run(Experiment experiment) {
        String ended;
        RuntimeException failure = null;
        try {
            ended = climb(experiment);
        } catch (CancellationException e) {
            end = Capacity.End.INTERRUPTED;
            ended = Find.INTERRUPTED;
        } catch (RuntimeException e) {
            failure = NotStarted.inside(e);
            if (trials.isEmpty()) {
                throw failure;
            }
            end = Capacity.End.FAILED;
            ended = Capacity.failed(failure);
        }
        return new Result(
                List.copyOf(ladder),
                new Capacity.Result(List.copyOf(trials), capacity, end, ended, failure));
    }

    /// @return why the climb ended
    private String climb(Experiment experiment) {
        Experiment current = experiment;
        Found found = search(current, "capacity-", RunRecord.Role.CLIMB);
        for (int number = 1; number <= RUNGS_MAX; number++) {
            capacity = found.capacity();
            end = found.result().end();
            if (end != Capacity.End.FOUND || capacity == null) {
                return found.result().ended();
            }
            int last = found.first() + found.result().trials().size() - 1;
            OpenRung open = new OpenRung(capacity.wall() == null ? last : capacity.wall());
            Attempt kept = rung(new At(current, capacity, "rung-" + number), number == 1, open);
            if (kept == null) {
                return ended(open, capacity);
            }
            current = kept.experiment();
            found = kept.found();
        }
        capacity = found.capacity();
        end = found.result().end();
        return "the ladder has %d rungs: that is enough for one run".formatted(RUNGS_MAX);
    }

    /// A search whose trials are in the run.
    ///
    /// @param first the index of its first trial
    /// @param capacity refers to the trials of the run; null if nothing held the objective
    private record Found(Capacity.Result result, int first, @Nullable CapacityRecord capacity) {}

    private Found search(Experiment experiment, String label, RunRecord.Role role) {
        int first = trials.size();
        Capacity.Result result = rates.search(experiment, label);
        result.trials().forEach(trial -> trials.add(trial.as(role)));
        if (result.failure() != null) {
            throw result.failure();
        }
        if (result.end() == Capacity.End.INTERRUPTED) {
            throw new CancellationException();
        }
        CapacityRecord measured = result.capacity();
        return new Found(result, first, measured == null ? null : measured.after(first));
    }

    /// @return why no remedy is kept
    private String ended(OpenRung last, CapacityRecord measured) {
        if (measured.wall() == null) {
            return "no known wall was reached above the capacity";
        }
        if (Double.isInfinite(measured.high())) {
            return "the capacity has no interval, so no gain could be proven: measure longer (-d)";
        }
        return unproven == null ? last.end(trials.get(last.index())) : unproven;
    }

    /// Tests the remedies of the wall above a capacity. The rung is part of the ladder even if
    /// something ends this.
    ///
    /// @return the remedy that is kept, or null
    private @Nullable Attempt rung(At at, boolean first, OpenRung open) {
        try {
            return test(at, first, open);
        } finally {
            ladder.add(open.rung(trials.get(open.index()), at.capacity()));
        }
    }

    private @Nullable Attempt test(At at, boolean first, OpenRung open) {
        CapacityRecord before = at.capacity();
        RunRecord.Trial wall = trials.get(open.index());
        Judgement.Binds binds = before.wall() == null ? null : wall.diagnosis().headline();
        progress.say(
                "capacity %,.1f/s; above it: %s"
                        .formatted(
                                before.ratePerSecond(),
                                binds == null ? "no known wall" : binds.wall().id().word()));
        unproven = null;
        if (first) {
            tried(at, wall, open);
        }
        open.turnsToTheWall();
        List<Remedy> remedies =
                binds == null || Double.isInfinite(before.high())
                        ? List.of()
                        : Remedies.of(binds, wall.observation(), at.experiment());
        int number = 0;
        for (int i = 0; i < remedies.size(); i++) {
            Remedy remedy = remedies.get(i);
            if (!canBeTested(remedy, wall, open)) {
                continue;
            }
            Attempt attempt;
            try {
                attempt = attempt(at, remedy, "-remedy-" + ++number, open);
            } catch (RuntimeException e) {
                open.ended(remedies.subList(i, remedies.size()));
                throw e;
            }
            if (attempt == null) {
                continue;
            }
            open.tested(attempt.applied());
            if (attempt.applied().kept()) {
                climbsOn(attempt.found());
                return attempt;
            }
            unproven = unproven == null ? attempt.unproven() : unproven;
        }
        return null;
    }

    private boolean canBeTested(Remedy remedy, RunRecord.Trial wall, OpenRung open) {
        boolean can = Find.canBeApplied(remedy, wall.observation().facts());
        if (!can) {
            unmeasured(remedy, OpenRung.Gap.NO_NAMESPACE, OpenRung.UNCHANGED, open);
        }
        return can;
    }

    private void unmeasured(Remedy remedy, OpenRung.Gap gap, String why, OpenRung open) {
        progress.say("  not measured: %s: %s".formatted(remedy.text(), why));
        open.unmeasured(remedy, gap, why);
    }

    /// The services at a rung, with their capacity.
    private record At(Experiment experiment, CapacityRecord capacity, String label) {}

    /// @param experiment the services with the remedy
    /// @param unproven see [CapacityPairs.Compared]
    private record Attempt(
            Applied applied, @Nullable String unproven, Experiment experiment, Found found) {}

    /// @return null if the services did not start with the remedy
    private @Nullable Attempt attempt(At at, Remedy remedy, String label, OpenRung open) {
        progress.say("testing " + remedy.text());
        try {
            return attempt(at, remedy, label);
        } catch (NotStarted e) {
            unmeasured(remedy, OpenRung.Gap.NOT_STARTED, e.withRemedy(), open);
            return null;
        }
    }

    private Attempt attempt(At at, Remedy remedy, String label) {
        Experiment after = Verification.applied(at.experiment(), remedy);
        String name = at.label() + label + "-";
        Found found = search(after, name, RunRecord.Role.PAIR_WITH);
        CapacityRecord capacityAfter =
                found.capacity() == null ? at.capacity().none() : found.capacity();
        CapacityPairs.Compared compared =
                pairs.compare(
                        new CapacityPairs.Services(at.experiment(), after),
                        remedy,
                        new CapacityGain(at.capacity(), capacityAfter),
                        name);
        Applied applied = compared.applied();
        progress.say("  " + remedy.text() + ": " + applied.text());
        return new Attempt(applied, compared.unproven(), after, found);
    }

    /// The trials with a kept remedy are the climb of the next rung.
    private void climbsOn(Found found) {
        trials.subList(found.first(), found.first() + found.result().trials().size())
                .replaceAll(trial -> trial.as(RunRecord.Role.CLIMB));
    }

    /// Measures the effects of the settings under `try`, each alone.
    private void tried(At at, RunRecord.Trial wall, OpenRung open) {
        TryValue.remedies(at.experiment())
                .forEach((name, remedy) -> {
                    if (canBeTested(remedy, wall, open)) {
                        Attempt attempt = attempt(at, remedy, "-try-" + name, open);
                        if (attempt != null) {
                            open.tried(attempt.applied());
                        }
                    }
                });
    }
}
