package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.Budget.Parts;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.record.NumberText;

/// Where the time of an answer goes, as a table for the terminal and the page. It leaves out the
/// parts that are short both alone and under load.
final class BudgetTable {
    private static final double SHOWN_SHARE_MIN = 0.01;

    /// Fewer are shown as 0.00.
    private static final double BUSY_MIN = 0.005;

    private final Budget budget;

    BudgetTable(Budget budget) {
        this.budget = budget;
    }

    void write(PlainText lines) {
        lines.table(rows(), false, true, true, false);
    }

    /// The same for the page, folded below the bars.
    void write(Html html) {
        html.element("p", "", "Where the time of an answer goes:");
        BudgetBars.write(budget, html);
        html.raw("<details><summary>The parts</summary>\n");
        html.raw("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>");
        List<List<String>> rows = rows();
        List<String> head = rows.getFirst();
        for (int i = 0; i < head.size(); i++) {
            html.raw("<th scope=\"col\"" + (isFigure(i) ? " class=\"n\">" : ">"));
            html.text(head.get(i));
        }
        html.raw("</tr></thead>\n<tbody>\n");
        List<Share> shown = budget.loaded().shares().stream().filter(this::isShown).toList();
        for (int number = 1; number < rows.size(); number++) {
            List<String> row = rows.get(number);
            html.raw("<tr><th scope=\"row\">");
            if (number > 1) {
                String colour = BudgetBars.cssClass(shown.get(number - 2));
                html.raw("<span class=\"swatch " + colour + "\"></span> ");
            }
            html.text(row.getFirst().strip()).raw("</th>\n");
            for (int i = 1; i < row.size(); i++) {
                html.element("td", isFigure(i) ? "n" : "", row.get(i));
            }
            html.raw("</tr>\n");
        }
        html.raw("</tbody></table></div>\n</details>\n");
    }

    private static boolean isFigure(int column) {
        return column == 1 || column == 2;
    }

    private List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("one answer takes", "alone", "at this load", "read from"));
        rows.add(
                List.of(
                        "in all",
                        budget.alone() == null ? "-" : millis(budget.alone().responseMicros()),
                        millis(budget.loaded().responseMicros()),
                        NumberText.format(
                                "the client; %.0f %% is explained",
                                100 * budget.loaded().explainedShare())));
        budget.loaded().shares().stream().filter(this::isShown).map(this::row).forEach(rows::add);
        return rows;
    }

    private boolean isShown(Share share) {
        return isShown(share, budget.loaded()) || isShown(share, budget.alone());
    }

    private static boolean isShown(Share share, @Nullable Parts parts) {
        return parts != null
                && Math.abs(parts.micros(share.key())) >= SHOWN_SHARE_MIN * parts.responseMicros();
    }

    private List<String> row(Share share) {
        return List.of(
                "  " + share.does(),
                budget.alone() == null ? "-" : millis(budget.alone().micros(share.key())),
                millis(share.micros()),
                source(share.part()));
    }

    private static String millis(double micros) {
        return NumberText.millis(micros * 1e3);
    }

    /// Where the threads and connections of a service are under a load of others.
    static void write(List<Budget.Busy> all, PlainText lines) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("in the mean", "threads or connections", "read from"));
        for (Budget.Busy busy : all) {
            if (busy.mean() >= BUSY_MIN) {
                rows.add(
                        List.of(
                                busy.does(),
                                NumberText.format("%.2f", busy.mean()),
                                source(busy.part())));
            }
        }
        if (rows.size() > 1) {
            lines.table(rows, false, true, false);
        }
    }

    private static String source(Budget.Part part) {
        return switch (part) {
            case ACCEPT -> "the accept queue, sock_diag";
            case UNREAD -> "unread bytes of its sockets, sock_diag";
            case RUN -> "CPU time, /proc/PID/stat";
            case RUNNABLE -> "run delay, schedstat";
            case LOCK -> "threads in futex";
            case DISK -> "threads in read, write or fsync of a file";
            case OUTPUT -> "threads in write to a pipe or terminal";
            case DEPENDENCY -> "requests under way, sock_diag";
            case TRANSMIT -> "threads in send, bytes held back, sock_diag";
            case SLEEP -> "threads in a sleep or a wait with a time limit";
            case GC -> "pauses of the JVM";
            case UNEXPLAINED -> "the rest";
        };
    }
}
