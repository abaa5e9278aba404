package wallfinder.report;

import java.util.List;
import java.util.stream.Stream;
import wallfinder.record.Applied;
import wallfinder.record.NumberText;

/// The proof of a remedy as a picture: each pair of trials is two dots joined by a line, without
/// the remedy on the left and with it on the right.
final class PagePairs {
    private static final int WIDTH = 300;
    private static final int HEIGHT = 150;
    private static final int LEFT = 90;
    private static final int RIGHT = 210;
    private static final int TOP = 12;
    private static final int BOTTOM = 122;
    private static final int DOT = 4;

    private PagePairs() {}

    static void write(Applied applied, Html html) {
        List<Double> before = applied.before().each();
        List<Double> after = applied.after().each();
        double most =
                Stream.concat(before.stream(), after.stream())
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(0);
        if (before.size() != after.size() || !(most > 0)) {
            return;
        }
        Svg svg =
                new Svg(
                        "pairs",
                        WIDTH,
                        HEIGHT,
                        "Answers a second of each pair. Without: %s. With: %s."
                                .formatted(figures(before), figures(after)),
                        html);
        svg.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
        for (int i = 0; i < before.size(); i++) {
            int from = height(before.get(i), most);
            int to = height(after.get(i), most);
            svg.line("pair", LEFT, from, RIGHT, to);
            svg.dot("dot", LEFT, from, DOT, "");
            svg.dot("dot", RIGHT, to, DOT, "");
        }
        figure(LEFT - 10, "end", applied.before().perSecond(), most, svg);
        figure(RIGHT + 10, "start", applied.after().perSecond(), most, svg);
        svg.text(LEFT, HEIGHT - 10, "middle", "without");
        svg.text(RIGHT, HEIGHT - 10, "middle", "with");
        svg.end();
    }

    private static String figures(List<Double> rates) {
        return String.join(
                ", ", rates.stream().map(rate -> NumberText.format("%,.0f", rate)).toList());
    }

    /// From zero, so that a small difference looks small.
    private static int height(double rate, double most) {
        return (int) Math.round(BOTTOM - (BOTTOM - TOP) * rate / most);
    }

    private static void figure(int x, String anchor, double rate, double most, Svg svg) {
        svg.text(x, height(rate, most) + DOT, anchor, NumberText.format("%,.0f/s", rate));
    }
}
