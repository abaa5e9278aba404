package wallfinder.report;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import wallfinder.record.NumberText;

/// Figures with their intervals as a picture, a row each: a difference within the noise looks like
/// one.
final class DotPlot {
    private static final int WIDTH = 1060;
    private static final int LEFT = 300;
    private static final int RIGHT = 330;
    private static final int ROW = 22;
    private static final int AXIS = 24;
    private static final int BASE = 4;
    private static final double DOT = 4.5;
    private static final int NAME_LETTERS_MAX = 44;
    private static final int FIGURE_LETTERS_MAX = 50;

    /// The page has a table of all.
    private static final int ROWS_MAX = 60;

    /// A ratio beyond this is drawn at the edge.
    private static final double RATIO_MAX = 100;

    /// The least that the axis of ratios shows at both sides of 1.
    private static final double RATIO_MIN = 1.25;

    private DotPlot() {}

    /// One figure.
    ///
    /// @param low the interval, together with `high`; both are the value if there is none
    /// @param figure the value as text
    /// @param counts false for a bound, whose dot is hollow
    record Row(String name, double value, double low, double high, String figure, boolean counts) {}

    /// Rates or sizes. The axis begins at zero, so that a small difference looks small.
    static void fromZero(String label, List<Row> rows, Html html) {
        double most = rows.stream().mapToDouble(DotPlot::most).max().orElse(0);
        if (most > 0) {
            draw(label, rows, value -> value / most, 0, "0", html);
        }
    }

    /// Ratios. A factor is as far to the right as its inverse is to the left.
    static void aroundOne(String label, List<Row> rows, Html html) {
        double widest =
                rows.stream()
                        .flatMapToDouble(row -> DoubleStream.of(row.low, row.value, row.high))
                        .map(ratio -> Math.abs(log(ratio)))
                        .max()
                        .orElse(0);
        double edge = Math.max(widest, Math.log(RATIO_MIN));
        draw(label, rows, ratio -> (1 + log(ratio) / edge) / 2, 1, "1: no effect", html);
    }

    private static double most(Row row) {
        return Math.max(row.value, row.high);
    }

    private static double log(double ratio) {
        return Math.log(Math.clamp(ratio, 1 / RATIO_MAX, RATIO_MAX));
    }

    /// @param place of a value on the axis, 0 to 1
    private static void draw(
            String label,
            List<Row> rows,
            DoubleUnaryOperator place,
            double reference,
            String referenceText,
            Html html) {
        List<Row> shown = rows.stream().limit(ROWS_MAX).toList();
        int bottom = shown.size() * ROW;
        Svg svg = new Svg("dots", WIDTH, bottom + AXIS, label, html);
        double line = x(place.applyAsDouble(reference));
        svg.line("axis", line, 0, line, bottom);
        svg.text(line, bottom + AXIS - 8, reference == 0 ? "start" : "middle", referenceText);
        for (int i = 0; i < shown.size(); i++) {
            Row row = shown.get(i);
            double y = (i + 0.5) * ROW;
            svg.text(LEFT - 12, y + BASE, "end", shortened(row.name, NAME_LETTERS_MAX));
            double low = x(place.applyAsDouble(row.low));
            double high = x(place.applyAsDouble(row.high));
            svg.line("range", low, y, high, y);
            double value = x(place.applyAsDouble(row.value));
            String title = row.name + ": " + row.figure;
            svg.dot(row.counts ? "dot" : "dot bound", value, y, DOT, title);
            svg.text(
                    Math.max(value, high) + 10,
                    y + BASE,
                    "start",
                    shortened(row.figure, FIGURE_LETTERS_MAX));
        }
        svg.end();
        if (rows.size() > ROWS_MAX) {
            html.element("p", "quiet", NumberText.count(rows.size() - ROWS_MAX) + " more below.");
        }
    }

    private static double x(double share) {
        return LEFT + (WIDTH - LEFT - RIGHT) * Math.clamp(share, 0, 1);
    }

    private static String shortened(String text, int letters) {
        return text.length() <= letters ? text : text.substring(0, letters - 1) + "\u2026";
    }
}
