package wallfinder.report;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.record.RunRecord;

/// What the CPUs do for a service, for the terminal.
final class ProfileText {
    private ProfileText() {}

    /// The trial that has the profile, or else the last one.
    static RunRecord.Trial profiled(List<RunRecord.Trial> trials) {
        return trials.stream()
                .filter(trial -> trial.profile() != null)
                .findFirst()
                .orElse(trials.getLast());
    }

    static void write(RunRecord.@Nullable Profile found, PlainText lines) {
        if (found == null) {
            lines.add("", "It used no CPU.");
            return;
        }
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
        if (found.change() != null) {
            write(new ChangeRows(found.change()), lines);
        }
    }

    private static void write(ChangeRows rows, PlainText lines) {
        lines.strong(rows.headline());
        lines.table(rows.rows(), figuresAfter(1, rows.rows()));
        lines.faint("  ", rows.source()).blank();
    }

    private static boolean[] figuresAfter(int words, List<List<String>> rows) {
        boolean[] right = new boolean[rows.getFirst().size()];
        Arrays.fill(right, words, right.length, true);
        return right;
    }
}
