package wallfinder.lab.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import wallfinder.record.Comparison;
import wallfinder.record.Comparison.Decision;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRun.Trial;

/// Compares two stored runs.
public final class Compare {
    private Compare() {}

    /// @param nameA how the user named the first run
    public static Comparison of(String nameA, StoredRun a, String nameB, StoredRun b) {
        boolean sameKind = a.kind().equals(b.kind());
        Matches matches = sameKind ? Matches.of(a, b) : new Matches(List.of(), List.of());
        Match first = matches.first();
        List<Comparison.Row> rows = matches.all().stream().map(Rows::of).toList();
        return new Comparison(
                side(nameA, a),
                side(nameB, b),
                sameRun(a, b),
                Differences.of(a, b, first),
                alike(a, b),
                doubts(matches),
                rows,
                List.copyOf(matches.unmatched()),
                refused(a, b, rows),
                first == null || first.a().isEmpty() || first.b().isEmpty()
                        ? new Decision(List.of(), List.of(), null)
                        : Decisions.of(a, b, first));
    }

    /// Two hosts may start the same command in the same second, as by cron.
    private static boolean sameRun(StoredRun a, StoredRun b) {
        return a.at(b.file()).equals(b);
    }

    private static Comparison.Side side(String name, StoredRun run) {
        return new Comparison.Side(name, run.name(), run.command(), run.startedAt());
    }

    private static @Nullable String refused(StoredRun a, StoredRun b, List<Comparison.Row> rows) {
        if (!a.kind().equals(b.kind())) {
            return "A is a `%s` and B is a `%s`. Their trials do not correspond."
                    .formatted(a.kind(), b.kind());
        }
        if (rows.stream().anyMatch(row -> !row.figures().isEmpty())) {
            return null;
        }
        return rows.isEmpty()
                ? "No trial of A corresponds to a trial of B."
                : "No figure corresponds: there is no rate and no response time in both runs.";
    }

    private static List<String> alike(StoredRun a, StoredRun b) {
        Map<String, String> others = Differences.host(b);
        List<String> alike = new ArrayList<>();
        Differences.host(a)
                .forEach((name, value) -> {
                    if (value.equals(others.get(name))) {
                        alike.add(name + " " + value);
                    }
                });
        return List.copyOf(alike);
    }

    private static List<Comparison.Doubt> doubts(Matches matches) {
        Map<String, String> ofA = new LinkedHashMap<>();
        Map<String, String> ofB = new LinkedHashMap<>();
        for (Match match : matches.all()) {
            match.a().stream()
                    .map(Trial::doubts)
                    .forEach(doubts -> doubts.forEach(ofA::putIfAbsent));
            match.b().stream()
                    .map(Trial::doubts)
                    .forEach(doubts -> doubts.forEach(ofB::putIfAbsent));
        }
        Set<String> ids = new TreeSet<>(ofA.keySet());
        ids.addAll(ofB.keySet());
        return ids.stream()
                .map(id ->
                        new Comparison.Doubt(
                                id,
                                ofA.getOrDefault(id, ofB.getOrDefault(id, "")),
                                ofA.containsKey(id),
                                ofB.containsKey(id)))
                .toList();
    }
}
