package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.experiment.Objective;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.CapacityBound;
import wallfinder.record.CapacityRecord;
import wallfinder.record.Condition;
import wallfinder.record.FitRecord;
import wallfinder.record.NumberText;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;
import wallfinder.record.StudyRecord;
import wallfinder.report.Check.State;

/// What a run checked: its trials, rungs, cells or candidates, and each condition of its objective.
/// A check is missed only if the exit code is that of a missed objective.
final class Checks {
    private final RunRecord run;
    private final Outcome outcome;
    private final List<Check> checks = new ArrayList<>();

    private Checks(RunRecord run, Outcome outcome) {
        this.run = run;
        this.outcome = outcome;
    }

    static List<Check> of(RunRecord run, Outcome outcome) {
        Checks of = new Checks(run, outcome);
        of.add();
        of.agreeWithTheOutcome();
        return List.copyOf(of.checks);
    }

    private void add() {
        if (run.fit() != null) {
            run.fit().candidates().forEach(this::candidate);
        } else if (run.study() != null) {
            run.study().cells().forEach(this::cell);
        } else if (!run.ladder().isEmpty()) {
            for (int i = 0; i < run.ladder().size(); i++) {
                rung(i + 1, run.ladder().get(i));
            }
            if (run.capacity() == null) {
                conditions(run.trials().get(run.ladder().getLast().trial()));
            }
        } else if (run.capacity() == null) {
            run.trials().forEach(this::trial);
            if (!run.trials().isEmpty()) {
                conditions(run.trials().getLast());
            }
        }
        if (run.capacity() != null) {
            capacity(run.capacity());
        }
    }

    private void trial(Trial trial) {
        checks.add(
                new Check(
                        trial.name(),
                        invalid(trial),
                        VerdictText.verdict(trial),
                        trial.observation().load().seconds(),
                        lines(trial)));
    }

    private State invalid(Trial trial) {
        return trial.invalid() && outcome == Outcome.INVALID ? State.INVALID : State.PASSED;
    }

    private void rung(int number, Rung rung) {
        Trial trial = run.trials().get(rung.trial());
        Finding finding = Finding.of(number, rung, run);
        List<String> lines = new ArrayList<>(lines(trial));
        if (rung.remedy() != null) {
            lines.add(
                    "moved by %s: %s"
                            .formatted(rung.remedy().remedy().text(), rung.remedy().text()));
        }
        checks.add(
                new Check(
                        "rung %d: %s".formatted(number, finding.wall()),
                        invalid(trial),
                        finding.text(),
                        trial.observation().load().seconds(),
                        lines));
    }

    private void conditions(Trial trial) {
        for (Condition condition : trial.conditions()) {
            State state = condition.met() ? State.PASSED : State.MISSED;
            String found =
                    condition.ofWall()
                            ? condition.text()
                            : condition.text() + ". " + VerdictText.verdict(trial);
            checks.add(
                    switch (outcome) {
                        case DONE, MISSED -> condition(condition, trial, state, found);
                        case INVALID, INTERRUPTED, FAILED ->
                                condition(condition, trial, State.SKIPPED, ending());
                    });
        }
    }

    private Check condition(Condition condition, Trial trial, State state, String found) {
        boolean moved = state == State.MISSED && outcome == Outcome.DONE;
        return new Check(
                condition.asked(),
                moved ? State.SKIPPED : state,
                moved
                        ? "missed at the last load (%s); a remedy was proven".formatted(found)
                        : found,
                trial.observation().load().seconds(),
                List.of());
    }

    private void cell(StudyRecord.Cell cell) {
        Finding finding = Finding.of(cell, run);
        State state =
                !cell.counts() && cell.invalid() > 0
                        ? State.INVALID
                        : Boolean.FALSE.equals(cell.objectiveMet())
                                ? State.MISSED
                                : cell.counts() ? State.PASSED : State.SKIPPED;
        String found =
                finding == null
                        ? Objects.requireNonNullElse(cell.problem(), "not measured")
                        : finding.text() + ". " + figures(finding);
        String message =
                switch (state) {
                    case INVALID -> "the generator was the limit in all trials";
                    case MISSED -> "the objective was missed in most trials: " + found;
                    case PASSED, SKIPPED -> found;
                };
        double seconds = cell.figures() == null ? 0 : cell.figures().seconds();
        List<String> lines =
                cell.verdicts().stream()
                        .map(one ->
                                NumberText.plural(one.trials(), "trial", "trials")
                                        + ": "
                                        + one.text())
                        .toList();
        checks.add(new Check(Finding.name(cell), state, message, seconds, lines));
    }

    private void candidate(FitRecord.Candidate candidate) {
        List<String> found = new ArrayList<>();
        limit("all files in the page cache", candidate.warm(), found);
        limit("nothing in the page cache", candidate.cold(), found);
        boolean any = !found.isEmpty();
        checks.add(
                new Check(
                        candidate.name(),
                        any
                                ? State.PASSED
                                : outcome == Outcome.MISSED ? State.MISSED : State.SKIPPED,
                        any
                                ? String.join("; ", found)
                                : Objects.requireNonNullElse(
                                        candidate.problem(), "no limit was found"),
                        0,
                        List.of()));
    }

    private static void limit(String files, FitRecord.@Nullable Limit limit, List<String> found) {
        if (limit != null && limit.found()) {
            found.add(
                    "smallest limit %s with %s%s"
                            .formatted(
                                    NumberText.bytes(limit.bytes()),
                                    files,
                                    limit.verified() ? "" : " (not verified)"));
        }
    }

    private void capacity(CapacityRecord capacity) {
        String headline = CapacityText.headline(capacity);
        List<CapacityBound> bounds =
                CapacityBound.of(Objective.parse(capacity.objective()), capacity);
        Integer wall = capacity.wall();
        Trial above = wall == null ? null : run.trials().get(wall);
        String found =
                above == null ? headline : headline + ". Above: " + VerdictText.verdict(above);
        checks.add(
                new Check(
                        "capacity with " + capacity.objective(),
                        state(
                                outcome == Outcome.MISSED && bounds.isEmpty()
                                        ? State.MISSED
                                        : State.PASSED),
                        found,
                        0,
                        above == null ? List.of() : lines(above)));
        bounds.forEach(bound -> checks.add(bound(bound, found)));
    }

    private Check bound(CapacityBound bound, String found) {
        State state =
                switch (bound.state()) {
                    case MET, WITHIN -> state(State.PASSED);
                    case MISSED -> state(State.MISSED);
                    case UNKNOWN -> outcome == Outcome.INVALID ? State.INVALID : State.SKIPPED;
                };
        String doubt = bound.doubt();
        return new Check(
                bound.asked(), state, doubt == null ? found : doubt + ". " + found, 0, List.of());
    }

    private State state(State measured) {
        return switch (outcome) {
            case DONE, MISSED -> measured;
            case INVALID, INTERRUPTED, FAILED -> State.SKIPPED;
        };
    }

    /// One check says what the exit code says, if no other does.
    private void agreeWithTheOutcome() {
        State state =
                switch (outcome) {
                    case DONE -> State.PASSED;
                    case MISSED -> State.MISSED;
                    case INVALID, INTERRUPTED, FAILED -> State.INVALID;
                };
        boolean said = checks.stream().anyMatch(check -> check.state() == state);
        if (!said) {
            checks.add(new Check("result", state, ending(), 0, List.of()));
        }
    }

    /// How the run ended, in words.
    private String ending() {
        String why = run.ended() == null || run.ended().isEmpty() ? "" : ": " + run.ended();
        return switch (outcome) {
            case DONE -> "done" + why;
            case MISSED -> "the objective was missed" + why;
            case INVALID -> "invalid, the generator was the limit" + why;
            case INTERRUPTED -> "interrupted" + why;
            case FAILED -> "an error ended the run" + why;
        };
    }

    /// The rate, the percentiles and the errors of a finding, as far as it has them.
    static String figures(Finding finding) {
        String rate = Table.rate(finding.perSecond()) + " answers/s";
        return finding.hasOnlyRate()
                ? rate
                : "%s, response p50 %s, p99 %s, errors %s"
                        .formatted(
                                rate,
                                Table.known(finding.p50Nanos(), NumberText::millis),
                                Table.known(finding.p99Nanos(), NumberText::millis),
                                Table.known(
                                        finding.errorShare(),
                                        share -> NumberText.format("%.3f %%", 100 * share)));
    }

    private static List<String> lines(Trial trial) {
        List<String> lines = new ArrayList<>();
        LoadOutcome load = trial.observation().load();
        lines.add(figures(Finding.of(trial)) + " (" + LoadText.describe(load) + ")");
        Judgement.Binds headline = trial.diagnosis().headline();
        if (headline != null) {
            for (Evidence evidence : headline.evidence()) {
                lines.add("- " + evidence.says() + ": " + VerdictText.reading(evidence));
            }
        }
        trial.diagnosis().also().forEach(binds -> lines.add("also: " + VerdictText.wall(binds)));
        trial.allCaveats()
                .forEach(doubt -> lines.add("doubt " + doubt.id() + ": " + doubt.advice()));
        return lines;
    }
}
