package wallfinder.report;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Quantity;
import wallfinder.record.FitRecord;
import wallfinder.record.FitRecord.Calibration;
import wallfinder.record.FitRecord.Candidate;
import wallfinder.record.FitRecord.KnockOut;
import wallfinder.record.FitRecord.Limit;
import wallfinder.record.FitRecord.LimitTrial;

/// The search of `fit` as a picture: each trial is a dot at its memory limit, with a colour for the
/// reason why the limit was too small. A line marks the smallest limit that was found. Passes with
/// the generous limit are not drawn: they would push all others to the left.
final class PageTries {
    private static final int WIDTH = 1060;
    private static final int LEFT = 220;
    private static final int RIGHT = 110;
    private static final int ROW = 46;
    private static final int AXIS = 24;
    private static final int BASE = 4;
    private static final double DOT = 3.5;

    /// Trials at one limit stand above each other.
    private static final double STEP = 7.5;

    private static final int STEPS = 6;

    private PageTries() {}

    private record Row(String name, @Nullable Limit limit, List<LimitTrial> tries) {
        double most() {
            double tried = tries.stream().mapToDouble(LimitTrial::limitBytes).max().orElse(0);
            return limit == null ? tried : Math.max(tried, limit.bytes());
        }
    }

    static void write(FitRecord fit, Html html) {
        List<Row> rows = new ArrayList<>();
        for (Candidate candidate : fit.candidates()) {
            add(candidate.name(), candidate.warm(), tries(fit, candidate, false), rows);
            add(candidate.name() + ", cold", candidate.cold(), tries(fit, candidate, true), rows);
        }
        double most = rows.stream().mapToDouble(Row::most).max().orElse(0);
        if (!(most > 0)) {
            return;
        }
        int bottom = rows.size() * ROW;
        Svg svg =
                new Svg(
                        "dots",
                        WIDTH,
                        bottom + AXIS,
                        "Each trial at its memory limit, and the smallest limits",
                        html);
        svg.line("axis", LEFT, 0, LEFT, bottom);
        svg.text(LEFT, bottom + AXIS - 8, "start", "0");
        svg.text(WIDTH - RIGHT, bottom + AXIS - 8, "middle", Quantity.bytesText((long) most));
        for (int i = 0; i < rows.size(); i++) {
            row(rows.get(i), i * ROW, most, svg);
        }
        svg.end();
        legend(rows, html);
    }

    private static List<LimitTrial> tries(FitRecord fit, Candidate candidate, boolean cold) {
        return fit.tries().stream()
                .filter(one -> one.candidate().equals(candidate.name()) && one.cold() == cold)
                .filter(one -> one.discarded() == null)
                .filter(one -> one.knockOut() != null || !isGenerous(one, candidate))
                .toList();
    }

    private static boolean isGenerous(LimitTrial one, Candidate candidate) {
        Calibration of = candidate.calibration();
        return of != null && of.limitBytes() == one.limitBytes();
    }

    private static void add(
            String name, @Nullable Limit limit, List<LimitTrial> tries, List<Row> rows) {
        if (!tries.isEmpty()) {
            rows.add(new Row(name, limit, tries));
        }
    }

    private static void row(Row row, int top, double most, Svg svg) {
        double middle = top + ROW / 2.0;
        svg.text(LEFT - 12, middle + BASE, "end", row.name);
        Map<Long, Integer> before = new HashMap<>();
        for (LimitTrial one : row.tries) {
            int same = before.merge(one.limitBytes(), 1, Integer::sum) - 1;
            KnockOut knockOut = one.knockOut();
            String limit = Quantity.bytesText(one.limitBytes());
            svg.dot(
                    cssClass(knockOut),
                    x(one.limitBytes(), most),
                    top + ROW - DOT - 2 - STEP * (same % STEPS),
                    DOT,
                    limit + ": " + reason(knockOut));
        }
        Limit found = row.limit;
        if (found != null && found.found()) {
            double x = x(found.bytes(), most);
            svg.line("found", x, top + 2, x, top + ROW - 2);
            svg.text(WIDTH - RIGHT + 12, middle + BASE, "start", Quantity.bytesText(found.bytes()));
        }
    }

    private static double x(double bytes, double most) {
        return LEFT + (WIDTH - LEFT - RIGHT) * bytes / most;
    }

    private static String cssClass(@Nullable KnockOut knockOut) {
        return "try-" + (knockOut == null ? "passed" : knockOut.kind().word());
    }

    private static String reason(@Nullable KnockOut knockOut) {
        return knockOut == null
                ? "passed"
                : knockOut.kind().word() + ". " + String.join("; ", knockOut.evidence());
    }

    private static void legend(List<Row> rows, Html html) {
        Set<KnockOut.Kind> kinds = EnumSet.noneOf(KnockOut.Kind.class);
        rows.stream()
                .flatMap(row -> row.tries.stream())
                .map(LimitTrial::knockOut)
                .forEach(knockOut -> {
                    if (knockOut != null) {
                        kinds.add(knockOut.kind());
                    }
                });
        html.raw("<p class=\"quiet\">");
        entry("passed", html);
        kinds.forEach(kind -> entry(kind.word(), html));
        html.raw("</p>\n");
        html.paragraphs(
                "quiet",
                List.of(
                        "Each trial is a dot at its memory limit; trials with the generous limit are"
                                + " left out; the line is the smallest limit that was found"));
    }

    private static void entry(String word, Html html) {
        html.raw("<span class=\"entry\"><span class=\"swatch try-" + word + "\"></span> ");
        html.text(word).raw("</span> ");
    }
}
