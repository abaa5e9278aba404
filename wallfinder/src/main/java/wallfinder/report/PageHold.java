package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;

/// Held connections on the page: how many were open over time, and what became of them.
final class PageHold {
    private static final int WIDTH = 820;
    private static final int HEIGHT = 180;
    private static final int LEFT = 90;
    private static final int RIGHT = 20;
    private static final int TOP = 18;
    private static final int BOTTOM = 150;
    private static final int BASE = 4;
    private static final int POINTS_MAX = 400;

    /// A study has a table and a picture of all its cells.
    private static final int TRIALS_MAX = 4;

    private PageHold() {}

    static void write(RunRecord run, Html html) {
        List<Trial> held =
                run.trials().stream()
                        .filter(trial -> trial.observation().load() instanceof LoadOutcome.Held)
                        .toList();
        if (held.isEmpty() || held.size() > TRIALS_MAX) {
            return;
        }
        html.raw("<section id=\"held\">\n<h2>Connections over time</h2>\n");
        for (Trial trial : held) {
            LoadOutcome.Held load = (LoadOutcome.Held) trial.observation().load();
            html.paragraphs("", List.of(trial.name() + ": " + HoldText.fates(load.hold())));
            picture(trial.observation().timeline(), load.connections(), html);
        }
        html.raw("</section>\n");
    }

    private static void picture(Timeline timeline, int wanted, Html html) {
        Series open = timeline.find(LoadFigure.CONNECTIONS, End.CLIENT).orElse(null);
        long[] nanos = timeline.nanos();
        if (open == null || nanos.length < 2) {
            return;
        }
        double seconds = nanos[nanos.length - 1] / 1e9;
        double most = Math.max(wanted, open.max());
        Svg svg =
                new Svg(
                        "lines",
                        WIDTH,
                        HEIGHT,
                        "Open connections over time; %s were wanted"
                                .formatted(NumberText.count(wanted)),
                        html);
        svg.line("axis", LEFT, BOTTOM, WIDTH - RIGHT, BOTTOM);
        svg.text(LEFT - 10, BOTTOM + BASE, "end", "0");
        double top = y(wanted, most);
        svg.line("wanted", LEFT, top, WIDTH - RIGHT, top);
        svg.text(LEFT - 10, top + BASE, "end", NumberText.count(wanted));
        svg.text(LEFT, HEIGHT - 8, "middle", "0 s");
        svg.text(WIDTH - RIGHT, HEIGHT - 8, "end", NumberText.seconds(seconds));
        svg.path("rate", points(nanos, open, seconds, most));
        svg.end();
    }

    private static List<double[]> points(long[] nanos, Series open, double seconds, double most) {
        int step = Math.ceilDiv(nanos.length, POINTS_MAX);
        List<double[]> points = new ArrayList<>();
        for (int i = 0; i < nanos.length; i += i + step < nanos.length ? step : 1) {
            double value = open.values()[i];
            if (!Double.isNaN(value)) {
                double share = nanos[i] / 1e9 / seconds;
                points.add(new double[] {LEFT + (WIDTH - LEFT - RIGHT) * share, y(value, most)});
            }
        }
        return points;
    }

    private static double y(double value, double most) {
        return BOTTOM - (BOTTOM - TOP) * value / most;
    }
}
