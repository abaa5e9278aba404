package wallfinder.experiment;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Finds the known name that a mistyped one probably means.
public final class Nearest {
    private Nearest() {}

    /// Advice about an unknown name: all known ones, the nearest first.
    public static String advice(String unknown, Collection<String> known) {
        if (known.isEmpty()) {
            return "Leave it out: no name is known here";
        }
        List<String> sorted =
                known.stream()
                        .sorted(Comparator.comparingInt(name -> distance(unknown, name)))
                        .toList();
        String nearest = sorted.getFirst();
        boolean close = distance(unknown, nearest) <= Math.max(2, unknown.length() / 2);
        String list = String.join(", ", sorted);
        return close
                ? "Did you mean '" + nearest + "'? Known here: " + list
                : "The nearest known is '" + nearest + "'. Known here: " + list;
    }

    /// The nearest known name, if any is known.
    public static Optional<String> to(String unknown, Collection<String> known) {
        return known.stream().min(Comparator.comparingInt(name -> distance(unknown, name)));
    }

    /// The number of letters to insert, delete, replace or swap with a neighbour, ignoring case.
    static int distance(String left, String right) {
        String a = left.toLowerCase(Locale.ROOT);
        String b = right.toLowerCase(Locale.ROOT);
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, a, b, i, j);
            }
        }
        return cost[a.length()][b.length()];
    }

    private static int cheapest(int[][] cost, String a, String b, int i, int j) {
        int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(replaced, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped =
                i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, cost[i - 2][j - 2] + 1) : best;
    }
}
