package wallfinder.lab.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Matrix;
import wallfinder.record.NumberText;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRun.Trial;

/// Finds the trials of two runs that correspond: the cells with the same values, the rungs with the
/// same number, the candidates with the same name, else the trials with the same name.
///
/// @param unmatched what only one of the runs has, in sentences
record Matches(List<Match> all, List<String> unmatched) {
    /// The part of a name that counts repetitions: `round-2-`, `-pair-1`, `-try-2`.
    private static final String COUNTERS = "(^|-)(round|pair|try)-\\d+|-again$";

    static Matches of(StoredRun a, StoredRun b) {
        Matches found = new Matches(new ArrayList<>(), new ArrayList<>());
        if (a.capacity() != null && b.capacity() != null) {
            found.capacities(a, b, a.capacity(), b.capacity());
        } else if (a.fit() != null && b.fit() != null) {
            found.fits(a, b, a.fit(), b.fit());
        } else if (!a.cells().isEmpty() && !b.cells().isEmpty()) {
            found.cells(a, b);
        } else if (!a.ladder().isEmpty() && !b.ladder().isEmpty()) {
            found.rungs(a, b);
        } else {
            found.names(a, b);
        }
        return found;
    }

    private void capacities(
            StoredRun a, StoredRun b, StoredRun.Capacity of, StoredRun.Capacity other) {
        if (!of.objective().equals(other.objective())) {
            unmatched.add(
                    "A has the capacity for '%s', and B the one for '%s'"
                            .formatted(of.objective(), other.objective()));
            return;
        }
        all.add(
                new Match(
                        "capacity for " + of.objective(),
                        named(a, of.trials()),
                        named(b, other.trials()),
                        null,
                        null,
                        new Match.Capacities(of, other)));
    }

    private void fits(StoredRun a, StoredRun b, StoredRun.Fit fitA, StoredRun.Fit fitB) {
        long step = Math.max(fitA.stepBytes(), fitB.stepBytes());
        fitA.candidates()
                .forEach((name, candidate) -> {
                    StoredRun.Candidate other = fitB.candidates().get(name);
                    if (other == null) {
                        unmatched.add("only A has the candidate " + name);
                        return;
                    }
                    limit(name, a, b, candidate.warm(), other.warm(), step);
                    limit(name + ", cold files", a, b, candidate.cold(), other.cold(), step);
                });
        fitB.candidates().keySet().stream()
                .filter(name -> !fitA.candidates().containsKey(name))
                .forEach(name -> unmatched.add("only B has the candidate " + name));
    }

    private void limit(
            String candidate,
            StoredRun a,
            StoredRun b,
            StoredRun.@Nullable Smallest of,
            StoredRun.@Nullable Smallest other,
            long step) {
        if (of == null && other == null) {
            return;
        }
        if (of == null || other == null) {
            unmatched.add(
                    "only %s has a smallest limit of %s"
                            .formatted(of == null ? "B" : "A", candidate));
            return;
        }
        all.add(
                new Match(
                        candidate + " at its smallest limit",
                        named(a, of.trials()),
                        named(b, other.trials()),
                        new Match.Bytes(of.bytes(), other.bytes(), step),
                        null,
                        null));
    }

    private static List<Trial> named(StoredRun run, Set<String> names) {
        return trials(run, trial -> names.contains(trial.name()));
    }

    private static List<Trial> trials(StoredRun run, Predicate<Trial> wanted) {
        return run.trials().stream().filter(wanted).toList();
    }

    private void cells(StoredRun a, StoredRun b) {
        Map<Map<String, String>, StoredRun.Cell> others =
                b.cells().stream()
                        .collect(Collectors.toMap(StoredRun.Cell::factors, Function.identity()));
        int onlyA = 0;
        for (StoredRun.Cell cell : a.cells()) {
            StoredRun.Cell other = others.remove(cell.factors());
            List<Trial> of = cellTrials(a, cell);
            List<Trial> ofOther = other == null ? List.of() : cellTrials(b, other);
            if (of.isEmpty() || ofOther.isEmpty()) {
                onlyA++;
                continue;
            }
            String factors = Matrix.describe(cell.factors());
            all.add(new Match(factors.isEmpty() ? "the only cell" : factors, of, ofOther));
        }
        unmatchedCells("A", "B", onlyA);
        unmatchedCells("B", "A", others.size());
    }

    private void unmatchedCells(String side, String other, int count) {
        if (count > 0) {
            unmatched.add(
                    "%s of %s %s no trial to compare with in %s"
                            .formatted(
                                    NumberText.plural(count, "cell", "cells"),
                                    side,
                                    count == 1 ? "has" : "have",
                                    other));
        }
    }

    /// The trials that count; those at the generator's limit only if there are no others.
    private static List<Trial> cellTrials(StoredRun run, StoredRun.Cell cell) {
        List<Trial> counted = named(run, cell.trials());
        return counted.isEmpty()
                ? trials(
                        run,
                        trial ->
                                trial.name().startsWith("round-")
                                        && trial.factors()
                                                .entrySet()
                                                .containsAll(cell.factors().entrySet()))
                : counted;
    }

    private void rungs(StoredRun a, StoredRun b) {
        int both = Math.min(a.ladder().size(), b.ladder().size());
        for (int number = 1; number <= both; number++) {
            StoredRun.Rung of = a.ladder().get(number - 1);
            StoredRun.Rung other = b.ladder().get(number - 1);
            all.add(
                    new Match(
                            "rung " + number,
                            atWall(a, of, number),
                            atWall(b, other, number),
                            null,
                            new Match.Moved(of.moved(), other.moved()),
                            null));
        }
        int more = a.ladder().size() - b.ladder().size();
        if (more != 0) {
            unmatched.add(
                    "%s has %s"
                            .formatted(
                                    more > 0 ? "A" : "B",
                                    NumberText.plural(Math.abs(more), "more rung", "more rungs")));
        }
    }

    /// The trials at a wall in fresh processes without a remedy; the one of the climb if there are
    /// no others. The trials of a profile have one process and are not independent.
    private static List<Trial> atWall(StoredRun run, StoredRun.Rung rung, int number) {
        List<Trial> without =
                trials(
                        run,
                        trial ->
                                trial.name()
                                        .matches(
                                                "rung-%d-(?!profile).*-without".formatted(number)));
        return without.isEmpty() ? List.of(run.trials().get(rung.trial())) : without;
    }

    private void names(StoredRun a, StoredRun b) {
        Map<String, List<Trial>> ofA = byName(a);
        Map<String, List<Trial>> ofB = byName(b);
        ofA.forEach((name, trials) -> {
            List<Trial> others = ofB.remove(name);
            if (others == null) {
                unmatched.add("only A has the trial " + name);
            } else {
                all.add(new Match(name, trials, others));
            }
        });
        ofB.keySet().forEach(name -> unmatched.add("only B has the trial " + name));
    }

    private static Map<String, List<Trial>> byName(StoredRun run) {
        return run.trials().stream()
                .collect(
                        Collectors.groupingBy(
                                trial -> trial.name().replaceAll(COUNTERS, ""),
                                LinkedHashMap::new,
                                Collectors.toList()));
    }

    /// The first trials that correspond, or null if none do.
    @Nullable Match first() {
        return all.isEmpty() ? null : all.getFirst();
    }
}
