package wallfinder.report;

import java.util.Locale;

/// A picture under construction, without script. The page's style sheet gives the colours.
final class Svg {
    /// A wider picture scrolls on a narrow screen, so that its text stays readable.
    private static final int NARROW_MAX = 640;

    private final Html html;
    private final boolean wide;

    /// @param cssClass of the picture
    /// @param label what a reader hears who does not see it
    Svg(String cssClass, int width, int height, String label, Html html) {
        this.html = html;
        wide = width > NARROW_MAX;
        if (wide) {
            html.raw("<div class=\"drawn\" tabindex=\"0\">");
        }
        html.raw("<svg class=\"%s\" viewBox=\"0 0 %d %d\"".formatted(cssClass, width, height));
        html.raw(" role=\"img\" aria-label=\"").text(label).raw("\">\n");
    }

    void line(String cssClass, double x, double y, double toX, double toY) {
        html.raw("<line class=\"%s\"".formatted(cssClass));
        at("x1", x);
        at("y1", y);
        at("x2", toX);
        at("y2", toY);
        html.raw("/>\n");
    }

    /// @param points pairs of x and y
    void path(String cssClass, Iterable<double[]> points) {
        html.raw("<polyline class=\"%s\" points=\"".formatted(cssClass));
        points.forEach(point -> html.raw(number(point[0]) + "," + number(point[1]) + " "));
        html.raw("\"/>\n");
    }

    /// @param title what a pointer over it shows; may be empty
    void dot(String cssClass, double x, double y, double radius, String title) {
        html.raw("<circle class=\"%s\"".formatted(cssClass));
        at("cx", x);
        at("cy", y);
        at("r", radius);
        end("circle", title);
    }

    /// @param title what a pointer over it shows; may be empty
    void box(String cssClass, double x, double y, double width, double height, String title) {
        html.raw("<rect class=\"%s\"".formatted(cssClass));
        at("x", x);
        at("y", y);
        at("width", width);
        at("height", height);
        end("rect", title);
    }

    private void end(String element, String title) {
        if (title.isEmpty()) {
            html.raw("/>\n");
        } else {
            html.raw("><title>").text(title).raw("</title></" + element + ">\n");
        }
    }

    /// @param anchor `start`, `middle` or `end`: which part of the text is at x
    void text(double x, double y, String anchor, String text) {
        html.raw("<text");
        at("x", x);
        at("y", y);
        html.raw(" text-anchor=\"" + anchor + "\">").text(text).raw("</text>\n");
    }

    void end() {
        html.raw(wide ? "</svg></div>\n" : "</svg>\n");
    }

    private void at(String name, double value) {
        html.raw(" " + name + "=\"" + number(value) + "\"");
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%.1f", value);
    }
}
