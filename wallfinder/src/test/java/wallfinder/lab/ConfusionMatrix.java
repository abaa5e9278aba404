package wallfinder.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Counts the pairs of an expected and a measured verdict, each with wall and end.
final class ConfusionMatrix {
    private final Map<String, Map<String, Integer>> counts = new TreeMap<>();

    void add(String expected, String got) {
        counts.computeIfAbsent(expected, row -> new TreeMap<>()).merge(got, 1, Integer::sum);
    }

    /// A table in Markdown. Columns have the numbers of the rows. Verdicts that no case expects
    /// follow, with their names.
    String table() {
        List<String> names = new ArrayList<>(counts.keySet());
        TreeSet<String> others = new TreeSet<>();
        counts.values().forEach(row -> others.addAll(row.keySet()));
        names.forEach(others::remove);
        List<String> columns = new ArrayList<>(names);
        columns.addAll(others);
        StringBuilder text = new StringBuilder("| expected \\ got |");
        for (String column : columns) {
            int number = names.indexOf(column) + 1;
            text.append(' ').append(number > 0 ? Integer.toString(number) : column).append(" |");
        }
        text.append("\n|---|").append("---|".repeat(columns.size())).append('\n');
        for (int i = 0; i < names.size(); i++) {
            Map<String, Integer> row = counts.getOrDefault(names.get(i), Map.of());
            text.append("| ").append(i + 1).append(' ').append(names.get(i)).append(" |");
            for (String column : columns) {
                Integer count = row.get(column);
                text.append(' ').append(count == null ? "." : count.toString()).append(" |");
            }
            text.append('\n');
        }
        return text.toString();
    }
}
