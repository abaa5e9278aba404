package wallfinder.sandbox;

import java.util.Collection;
import java.util.Comparator;

/// The known name that a mistyped one probably means.
final class Nearest {
    private Nearest() {}

    /// An advice that names the nearest of the known names.
    static String advice(String unknown, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(name -> distance(unknown, name)))
                .map(name -> "the nearest known name is " + name)
                .orElse("no name is known here");
    }

    /// The number of letters to insert, delete or replace to get from one name to the other.
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
