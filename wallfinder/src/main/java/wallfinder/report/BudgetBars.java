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

    private BudgetBars() {}

    static void write(Budget budget, Html html) {
        Parts alone = budget.alone();
        double most = Math.max(length(alone), length(budget.loaded()));
        if (!(most > 0)) {
            return;
        }
        html.raw(
                NumberText.format(
                        "<svg class=\"budget\" viewBox=\"0 0 %d %d\" role=\"img\"",
                        WIDTH, 2 * ROW));
        html.raw(" aria-label=\"The parts of an answer's time, alone and at this load; the table");
        html.raw(" below has the figures\">\n");
        bar(0, "alone", alone, most, html);
        bar(1, "at this load", budget.loaded(), most, html);
        html.raw("</svg>\n");
    }

    /// Parts that come from samples may be longer together than the response.
    private static double length(@Nullable Parts parts) {
        return parts == null
                ? 0
                : parts.shares().stream().mapToDouble(share -> Math.max(0, share.micros())).sum();
    }

    private static void bar(int row, String name, @Nullable Parts parts, double most, Html html) {
        if (parts == null) {
            return;
        }
        int y = row * ROW;
        text(LEFT - 8, y, "end", name, html);
        double x = LEFT;
        for (Share share : parts.shares()) {
            double width = (WIDTH - LEFT - RIGHT) * Math.max(0, share.micros()) / most;
            if (width > 0) {
                html.raw(
                        NumberText.format(
                                "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\">",
                                cssClass(share), x, y, width, BAR));
                html.raw("<title>");
                html.text(share.does() + ": " + NumberText.millis(share.micros() * 1e3));
                html.raw("</title></rect>");
            }
            x += width;
        }
        text((int) x + 6, y, "start", NumberText.millis(parts.responseMicros() * 1e3), html);
    }

    /// `part-unread`.
    static String cssClass(Share share) {
        return "part-" + share.part().name().toLowerCase(Locale.ROOT);
    }

    private static void text(int x, int y, String anchor, String text, Html html) {
        html.raw(
                NumberText.format(
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y + BAR - 5, anchor));
        html.text(text).raw("</text>\n");
    }
}
