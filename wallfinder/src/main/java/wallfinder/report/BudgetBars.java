package wallfinder.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.Budget.Parts;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.record.NumberText;

/// Where the time of an answer goes, as two bars on one scale: alone and under the load. The colour
/// of a part is that of its row in the table.
final class BudgetBars {
    private static final int WIDTH = 640;
    private static final int LEFT = 90;
    private static final int RIGHT = 80;
    private static final int ROW = 26;
    private static final int BAR = 18;
    private static final int BASE = BAR - 5;

    private BudgetBars() {}

    static void write(Budget budget, Html html) {
        Parts alone = budget.alone();
        double most = Math.max(length(alone), length(budget.loaded()));
        if (!(most > 0)) {
            return;
        }
        Svg svg =
                new Svg(
                        "budget",
                        WIDTH,
                        2 * ROW,
                        "The parts of an answer's time, alone and at this load; the table below has"
                                + " the figures",
                        html);
        bar(0, "alone", alone, most, svg);
        bar(1, "at this load", budget.loaded(), most, svg);
        svg.end();
    }

    /// Parts that come from samples may be longer together than the response.
    private static double length(@Nullable Parts parts) {
        return parts == null
                ? 0
                : parts.shares().stream().mapToDouble(share -> Math.max(0, share.micros())).sum();
    }

    private static void bar(int row, String name, @Nullable Parts parts, double most, Svg svg) {
        if (parts == null) {
            return;
        }
        int y = row * ROW;
        svg.text(LEFT - 8, y + BASE, "end", name);
        double x = LEFT;
        for (Share share : parts.shares()) {
            double width = (WIDTH - LEFT - RIGHT) * Math.max(0, share.micros()) / most;
            if (width > 0) {
                String time = NumberText.millis(share.micros() * 1e3);
                svg.box(cssClass(share), x, y, width, BAR, share.does() + ": " + time);
            }
            x += width;
        }
        String time = NumberText.millis(parts.responseMicros() * 1e3);
        svg.text(Math.floor(x) + 6, y + BASE, "start", time);
    }

    /// `part-unread`.
    static String cssClass(Share share) {
        return "part-" + share.part().name().toLowerCase(Locale.ROOT);
    }
}
