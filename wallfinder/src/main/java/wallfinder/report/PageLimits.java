package wallfinder.report;

import java.util.List;
import wallfinder.diagnosis.Limit;
import wallfinder.record.NumberText;

/// The limits that a plan meets, as bars: what of each limit the plan takes. A bar that passes the
/// line does not fit.
final class PageLimits {
    private static final int WIDTH = 1000;
    private static final int LEFT = 230;
    private static final int RIGHT = 430;
    private static final int ROW = 26;
    private static final int BAR = 14;
    private static final int BASE = BAR - 3;
    private static final int AXIS = 22;

    /// The bars end a little beyond the line of the limit, however far the plan goes beyond it.
    private static final double SHARE_MAX = 1.15;

    private PageLimits() {}

    static void write(List<Limit> limits, Html html) {
        int bottom = ROW * limits.size();
        Svg svg =
                new Svg(
                        "limits",
                        WIDTH,
                        bottom + AXIS,
                        "What of each limit the plan takes; the table below has the figures",
                        html);
        for (int i = 0; i < limits.size(); i++) {
            bar(limits.get(i), i * ROW, svg);
        }
        double line = x(1);
        svg.line("full", line, 0, line, bottom);
        svg.text(line, bottom + AXIS - 6, "middle", "the limit");
        svg.end();
    }

    private static void bar(Limit limit, int y, Svg svg) {
        svg.text(LEFT - 10, y + BASE, "end", limit.wall() + " (" + limit.end().word() + ")");
        svg.box("track", LEFT, y, x(1) - LEFT, BAR, "");
        double share = limit.share();
        if (share > 0) {
            String title = limit.wall() + ": " + figures(limit);
            svg.box(cssClass(limit), LEFT, y, x(share) - LEFT, BAR, title);
        }
        svg.text(x(SHARE_MAX) + 8, y + BASE, "start", figures(limit));
    }

    private static String cssClass(Limit limit) {
        return limit.stops() ? "bad" : limit.fits() ? "good" : "near";
    }

    /// `needs 50,000, binds at 28,231 connections`.
    private static String figures(Limit limit) {
        String needs =
                Double.isNaN(limit.needs())
                        ? "needs an unknown number"
                        : "needs " + NumberText.number(limit.needs(), ",");
        return needs + ", binds at " + NumberText.hitAt(limit, ",");
    }

    private static double x(double share) {
        return LEFT + (WIDTH - LEFT - RIGHT) * Math.min(share, SHARE_MAX) / SHARE_MAX;
    }
}
