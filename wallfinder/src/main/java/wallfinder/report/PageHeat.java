package wallfinder.report;

import java.util.List;
import org.HdrHistogram.Histogram;
import wallfinder.record.Climbs;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Role;
import wallfinder.record.RunRecord.Trial;

/// The response times of the trials as a heat map: a column for each trial, from left to right as
/// they were measured, and up the time on a logarithmic scale. So two groups of answers, such as
/// those with a repeated handshake, are two bands where a percentile shows one number.
final class PageHeat {
    private static final int TRIALS_MIN = 2;
    private static final int TRIALS_MAX = 60;
    private static final int WIDTH = 1100;
    private static final int LEFT = 70;
    private static final int TOP = 8;
    private static final int BASE = 4;
    private static final int CELL_HEIGHT = 7;
    private static final int COLUMN_MAX = 90;
    private static final int NAMES = 26;
    private static final int LETTERS_WIDTH = 8;

    /// Each decade of time has this many rows.
    private static final int ROWS_PER_DECADE = 8;

    private static final double NANOS_MIN = 1_000;

    private PageHeat() {}

    static void write(RunRecord run, Html html) {
        List<Trial> trials = trials(run);
        if (trials.size() < TRIALS_MIN) {
            return;
        }
        html.raw("<section id=\"heat\">\n<h2>Response times of each trial</h2>\n");
        picture(trials, html);
        html.raw("<p class=\"quiet\">");
        html.text(
                "A column is a trial. The darker a cell, the more of its answers took this long: ");
        html.text("any, 0.1 %, 1 %, 5 %, 20 %. Below it: its connections, or the rate asked for.");
        html.raw("</p>\n</section>\n");
    }

    /// Those of the climbs, or all if there is no climb.
    private static List<Trial> trials(RunRecord run) {
        List<Trial> timed =
                run.trials().stream()
                        .filter(t -> t.observation().load().responseNanos().getTotalCount() > 0)
                        .toList();
        List<Trial> climb = timed.stream().filter(t -> t.role() == Role.CLIMB).toList();
        return (climb.isEmpty() ? timed : climb).stream().limit(TRIALS_MAX).toList();
    }

    private static void picture(List<Trial> trials, Html html) {
        int lowest = Integer.MAX_VALUE;
        int highest = Integer.MIN_VALUE;
        for (Trial trial : trials) {
            Histogram nanos = trial.observation().load().responseNanos();
            lowest = Math.min(lowest, row(nanos.getMinNonZeroValue()));
            highest = Math.max(highest, row(nanos.getMaxValue()));
        }
        int rows = highest - lowest + 1;
        int bottom = TOP + rows * CELL_HEIGHT;
        double width = Math.min(COLUMN_MAX, (double) (WIDTH - LEFT) / trials.size());
        Svg svg = new Svg("heat", WIDTH, bottom + NAMES, "Response times of each trial", html);
        for (int row = lowest; row <= highest + 1; row++) {
            if (row % ROWS_PER_DECADE == 0) {
                double y = bottom - (row - lowest) * CELL_HEIGHT;
                svg.line("axis", LEFT, y, LEFT + width * trials.size(), y);
                svg.text(LEFT - 8, y + BASE, "end", NumberText.millis(nanos(row)));
            }
        }
        double free = 0;
        for (int i = 0; i < trials.size(); i++) {
            double x = LEFT + i * width;
            column(trials.get(i), x, width, lowest, rows, bottom, svg);
            String name = load(trials.get(i));
            if (x >= free) {
                svg.text(x + width / 2, bottom + NAMES - 8, "middle", name);
                free = x + (name.length() + 1) * LETTERS_WIDTH;
            }
        }
        svg.end();
    }

    private static void column(
            Trial trial, double x, double width, int lowest, int rows, int bottom, Svg svg) {
        Histogram nanos = trial.observation().load().responseNanos();
        long[] counts = new long[rows];
        nanos.recordedValues()
                .forEach(value ->
                        counts[Math.clamp(row(value.getValueIteratedTo()) - lowest, 0, rows - 1)] +=
                                value.getCountAddedInThisIterationStep());
        for (int i = 0; i < rows; i++) {
            if (counts[i] > 0) {
                double share = (double) counts[i] / nanos.getTotalCount();
                double y = bottom - (i + 1) * CELL_HEIGHT;
                svg.box("heat-" + PageTimes.darkness(share), x, y, width, CELL_HEIGHT, "");
            }
        }
    }

    private static int row(double nanos) {
        return (int) Math.floor(Math.log10(Math.max(nanos, NANOS_MIN)) * ROWS_PER_DECADE);
    }

    private static double nanos(int row) {
        return Math.pow(10, (double) row / ROWS_PER_DECADE);
    }

    private static String load(Trial trial) {
        var load = trial.observation().load();
        var asked = Climbs.asked(load);
        return asked.isPresent()
                ? NumberText.format("%,.0f/s", asked.getAsDouble())
                : NumberText.count(load.connections());
    }
}
