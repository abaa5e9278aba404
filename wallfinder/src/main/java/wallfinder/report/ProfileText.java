package wallfinder.report;

import java.util.Arrays;
import java.util.List;
import wallfinder.record.RunRecord;

/// What the CPUs do for a service, for the terminal.
final class ProfileText {
    private ProfileText() {}

    static void write(RunRecord.Profile found, PlainText lines) {
        ProfileRows rows = new ProfileRows(found);
        lines.strong(rows.headline());
        lines.table(rows.parts(), figuresAfter(2, rows.parts())).blank();
        if (!found.cpu().methods().isEmpty()) {
            lines.table(rows.methods(), figuresAfter(1, rows.methods()));
        }
        if (!rows.allocators().isEmpty()) {
            lines.blank().add("", rows.allocation());
            lines.table(rows.allocators(), figuresAfter(1, rows.allocators()));
        }
        lines.faint("  ", rows.source());
        lines.faint("  ", rows.bounds()).blank();
    }

    private static boolean[] figuresAfter(int words, List<List<String>> rows) {
        boolean[] right = new boolean[rows.getFirst().size()];
        Arrays.fill(right, words, right.length, true);
        return right;
    }
}
