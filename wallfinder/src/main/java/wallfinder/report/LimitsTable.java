package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Limit;
import wallfinder.experiment.WallId;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// The output of `doctor`: the limits in the order in which the plan meets them, and what would
/// move those that stop it.
final class LimitsTable {
    private static final List<String> HEAD =
            List.of("", "wall", "on", "the plan needs", "binds at", "limit", "in use", "set by");

    private LimitsTable() {}

    static String of(RunRecord run, PlainText lines) {
        lines.strong(run.name() + ": " + run.ended());
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        for (int i = 0; i < run.limits().size(); i++) {
            rows.add(row(i + 1, run.limits().get(i)));
        }
        lines.table(rows, true, false, false, true, true, true, true, false);
        remarks(run.limits(), lines);
        moves(run.limits(), lines);
        return lines.toString();
    }

    private static List<String> row(int number, Limit limit) {
        return List.of(
                (limit.stops() ? "! " : "") + number,
                limit.wall(),
                limit.end().word(),
                Double.isNaN(limit.needs()) ? "?" : figure(limit.needs()),
                NumberText.hitAt(limit, ","),
                amount(limit, limit.limit()),
                amount(limit, limit.inUse()),
                limit.setBy());
    }

    private static String amount(Limit limit, double value) {
        return limit.bytes() && !Double.isNaN(value) ? NumberText.bytes(value) : figure(value);
    }

    private static String figure(double value) {
        return Double.isNaN(value) ? "?" : NumberText.number(value, ",");
    }

    private static void remarks(List<Limit> limits, PlainText lines) {
        lines.blank();
        for (int i = 0; i < limits.size(); i++) {
            Limit limit = limits.get(i);
            if (limit.note() != null) {
                lines.add(String.format(Locale.ROOT, "%4d  ", i + 1), limit.note());
            }
        }
    }

    private static void moves(List<Limit> limits, PlainText lines) {
        List<Limit> stops = limits.stream().filter(Limit::stops).toList();
        if (!stops.isEmpty()) {
            lines.blank().strong("What would move them (not verified)");
        }
        @Nullable String wall = null;
        for (int i = 0; i < stops.size(); i++) {
            Limit limit = stops.get(i);
            lines.add(
                    String.format(Locale.ROOT, "%4d  ", i + 1),
                    limit.wall() + " (" + limit.source() + ")");
            limit.moves().forEach(move -> lines.add("        ", move));
            if (!limit.wall().equals(wall) && WallId.find(limit.wall()) != null) {
                lines.faint("        ", "wallfinder explain " + limit.wall());
            }
            wall = limit.wall();
        }
    }
}
