package wallfinder.report;

import java.util.List;
import java.util.stream.Stream;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord.Applied;

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
        html.raw(
                NumberText.format(
                        "<svg class=\"pairs\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
                        WIDTH, HEIGHT));
        html.text(
                        NumberText.format(
                                "Answers a second of each pair. Without: %s. With: %s.",
                                figures(before), figures(after)))
                .raw("\">\n");
        line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis", html);
        for (int i = 0; i < before.size(); i++) {
            int from = height(before.get(i), most);
            int to = height(after.get(i), most);
            line(LEFT, from, RIGHT, to, "pair", html);
            dot(LEFT, from, html);
            dot(RIGHT, to, html);
        }
        figure(LEFT - 10, "end", applied.before().perSecond(), most, html);
        figure(RIGHT + 10, "start", applied.after().perSecond(), most, html);
        text(LEFT, HEIGHT - 10, "middle", "without", html);
        text(RIGHT, HEIGHT - 10, "middle", "with", html);
        html.raw("</svg>\n");
    }

    private static String figures(List<Double> rates) {
        return String.join(
                ", ", rates.stream().map(rate -> NumberText.format("%,.0f", rate)).toList());
    }

    /// From zero, so that a small difference looks small.
    private static int height(double rate, double most) {
        return (int) Math.round(BOTTOM - (BOTTOM - TOP) * rate / most);
    }

    private static void figure(int x, String anchor, double rate, double most, Html html) {
        text(x, height(rate, most) + DOT, anchor, NumberText.format("%,.0f/s", rate), html);
    }

    private static void line(int x, int y, int toX, int toY, String cssClass, Html html) {
        html.raw(
                NumberText.format(
                        "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
                        cssClass, x, y, toX, toY));
    }

    private static void dot(int x, int y, Html html) {
        html.raw(NumberText.format("<circle cx=\"%d\" cy=\"%d\" r=\"%d\"/>", x, y, DOT));
    }

    private static void text(int x, int y, String anchor, String text, Html html) {
        html.raw(NumberText.format("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor));
        html.text(text).raw("</text>\n");
    }
}
