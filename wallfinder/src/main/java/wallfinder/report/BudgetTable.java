package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.Budget.Parts;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.record.NumberText;

/// Where the time of an answer goes, as a table for the terminal. It leaves out the parts that are
/// short both alone and under load.
final class BudgetTable {
    private static final double SHOWN_SHARE_MIN = 0.01;

    private final Budget budget;

    BudgetTable(Budget budget) {
        this.budget = budget;
    }

    void write(PlainText lines) {
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
        lines.table(rows, false, true, true, false);
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
