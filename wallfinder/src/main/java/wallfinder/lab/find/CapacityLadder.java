package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Remedies;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
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
            if (trials.isEmpty()) {
                throw e;
            }
            end = Capacity.End.FAILED;
            ended = Capacity.failed(e);
            failure = e;
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
            Attempt kept = rung(current, capacity, last, number);
            if (kept == null) {
                return ended(ladder.getLast(), capacity);
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
    private String ended(RunRecord.Rung last, CapacityRecord measured) {
        if (measured.wall() == null) {
            return "no known wall was reached above the capacity";
        }
        if (Double.isInfinite(measured.high())) {
            return "the capacity has no interval, so no gain could be proven: measure longer (-d)";
        }
        return unproven == null
                ? Find.ended(trials.get(last.trial()), !last.without().isEmpty())
                : unproven;
    }

    /// @param last the index of the last trial of the search: the highest rate above the capacity
    /// @return the remedy that is kept, or null
    private @Nullable Attempt rung(
            Experiment current, CapacityRecord before, int last, int number) {
        int index = before.wall() == null ? last : before.wall();
        RunRecord.Trial wall = trials.get(index);
        Judgement.Binds binds = before.wall() == null ? null : wall.diagnosis().headline();
        progress.say(
                "capacity %,.1f/s; above it: %s"
                        .formatted(
                                before.ratePerSecond(),
                                binds == null ? "no known wall" : binds.wall().id().word()));
        At at = new At(current, before, "rung-" + number);
        List<Applied> tried = number == 1 ? tried(at, wall) : List.of();
        List<Applied> without = new ArrayList<>();
        Attempt kept = null;
        unproven = null;
        for (Remedy remedy :
                binds == null || Double.isInfinite(before.high())
                        ? List.<Remedy>of()
                        : Remedies.of(binds, wall.observation(), current)) {
            if (!Find.canBeApplied(remedy, wall.observation().facts())) {
                continue;
            }
            Attempt attempt = attempt(at, remedy, "-remedy-" + (without.size() + 1));
            if (attempt.applied().kept()) {
                kept = attempt;
                climbsOn(attempt.found());
                break;
            }
            without.add(attempt.applied());
            unproven = unproven == null ? attempt.unproven() : unproven;
        }
        List<Advice> advice =
                binds == null || kept != null
                        ? List.of()
                        : binds.wall().advice(binds, wall.observation());
        ladder.add(
                new RunRecord.Rung(
                        index,
                        kept == null ? null : kept.applied(),
                        List.copyOf(without),
                        tried,
                        advice,
                        null,
                        null,
                        before));
        return kept;
    }

    /// The services at a rung, with their capacity.
    private record At(Experiment experiment, CapacityRecord capacity, String label) {}

    /// @param experiment the services with the remedy
    /// @param unproven see [CapacityPairs.Compared]
    private record Attempt(
            Applied applied, @Nullable String unproven, Experiment experiment, Found found) {}

    private Attempt attempt(At at, Remedy remedy, String label) {
        progress.say("testing " + remedy.text());
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

    /// The effects of the settings under `try`, each alone.
    private List<Applied> tried(At at, RunRecord.Trial wall) {
        List<Applied> tried = new ArrayList<>();
        TryValue.remedies(at.experiment())
                .forEach((name, remedy) -> {
                    if (Find.canBeApplied(remedy, wall.observation().facts())) {
                        tried.add(attempt(at, remedy, "-try-" + name).applied());
                    }
                });
        return List.copyOf(tried);
    }
}
