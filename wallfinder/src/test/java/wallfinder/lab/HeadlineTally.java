package wallfinder.lab;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Judgement;

/// Counts how often repeated measurements of a case have the same headline.
///
/// Measurements that got too little CPU are counted separately.
final class HeadlineTally {
    /// A case with a smaller share of equal headlines needs an explanation.
    static final double CASE_SHARE_MIN = 0.90;

    /// The aim for all measurements together.
    static final double OVERALL_SHARE_MIN = 0.98;

    private final Map<String, Count> counts = new LinkedHashMap<>();

    /// The measurements of one case, by headline.
    ///
    /// @param description what the case expects, or the cell's settings
    /// @param starved the measurements that got too little CPU
    private record Count(
            String description, Map<String, Integer> fed, Map<String, Integer> starved) {
        int runs() {
            return sum(fed);
        }

        int same() {
            return most(fed);
        }

        double share() {
            return runs() == 0 ? 0 : (double) same() / runs();
        }

        /// The headlines of all measurements, including the starved ones.
        Map<String, Integer> all() {
            Map<String, Integer> all = new LinkedHashMap<>(fed);
            starved.forEach((headline, count) -> all.merge(headline, count, Integer::sum));
            return all;
        }
    }

    /// Verdict, wall and end: `named accept-queue server`.
    static String headline(Diagnosis diagnosis) {
        Judgement.Binds headline = diagnosis.headline();
        String verdict = diagnosis.verdict().word();
        return headline == null
                ? verdict
                : verdict + " " + headline.wall().id().word() + " " + headline.end().word();
    }

    void add(String name, String description, String headline, boolean starved) {
        Count count =
                counts.computeIfAbsent(
                        name,
                        key ->
                                new Count(
                                        description, new LinkedHashMap<>(), new LinkedHashMap<>()));
        (starved ? count.starved : count.fed).merge(headline, 1, Integer::sum);
    }

    /// Whether this headline is the first of its kind for the case.
    boolean isNew(String name, String headline) {
        Count count = counts.get(name);
        return count == null || !count.all().containsKey(headline);
    }

    /// The share, from 0 to 1, of the measurements that had the most frequent headline of their
    /// case. Starved measurements are left out.
    double share() {
        int runs = counts.values().stream().mapToInt(Count::runs).sum();
        return runs == 0 ? 0 : (double) counts.values().stream().mapToInt(Count::same).sum() / runs;
    }

    /// Whether the share reaches the aim, and each case has a measurement that was not starved.
    boolean isStable() {
        return share() >= OVERALL_SHARE_MIN
                && counts.values().stream().allMatch(count -> count.runs() > 0);
    }

    /// A line for each case, the cases that need an explanation, and the share of all.
    String summary() {
        StringBuilder lines = new StringBuilder();
        counts.forEach((name, count) ->
                lines.append(
                        "%-34s %2d of %2d  %s%n"
                                .formatted(name, count.same(), count.runs(), counted(count.fed))));
        lines.append(unstable());
        int runs = counts.values().stream().mapToInt(Count::runs).sum();
        int same = counts.values().stream().mapToInt(Count::same).sum();
        lines.append(
                "%noverall: %d of %d had the most frequent headline of their case (%.1f %%, the aim is %.0f %%)%n"
                        .formatted(same, runs, share() * 100, OVERALL_SHARE_MIN * 100));
        return lines.append(starved()).toString();
    }

    private String unstable() {
        List<String> lines = new ArrayList<>();
        counts.forEach((name, count) -> {
            if (count.share() < CASE_SHARE_MIN) {
                lines.add("  %s (%s): %s".formatted(name, count.description, different(count)));
            }
        });
        return lines.isEmpty()
                ? ""
                : "%nbelow %.0f %%:%n%s%n"
                        .formatted(CASE_SHARE_MIN * 100, String.join("%n".formatted(), lines));
    }

    private static String different(Count count) {
        return count.runs() == 0
                ? "too little CPU each time, with " + counted(count.starved)
                : counted(count.fed);
    }

    private String starved() {
        int starved = counts.values().stream().mapToInt(count -> sum(count.starved)).sum();
        if (starved == 0) {
            return "";
        }
        int all = counts.values().stream().mapToInt(count -> sum(count.all())).sum();
        int same = counts.values().stream().mapToInt(count -> most(count.all())).sum();
        return "%d more got too little CPU and are left out; with them it is %d of %d (%.1f %%)%n"
                .formatted(starved, same, all, 100.0 * same / all);
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static int most(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /// `3 none, 2 unnamed`, the most frequent first.
    private static String counted(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }
}
