package wallfinder.live;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Fullness;

/// The lines that a terminal shows of a state. It uses no clock and no terminal.
public record Frame(LiveState state, long nowNanos, int width, int height, Glyphs glyphs) {
    /// The longest bar of the planned time, and the longest sparkline.
    private static final int BAR_MAX = 60;

    private static final int NAME_MIN = 9;
    private static final int VALUE = 11;

    /// Below this the frame has no empty lines.
    private static final int ROOMY = 16;

    /// Below this it has no levels of a climb either.
    private static final int LOW = 12;

    /// A line that is longer is hard to read.
    private static final int WIDTH_MAX = 130;

    private static final int LIMITS_MIN = 3;
    private static final int LIMITS_MAX = 14;
    private static final String MARGIN = " ";

    public Frame {
        width = Math.min(width, WIDTH_MAX);
    }

    /// At most as many lines as the terminal has.
    public List<Line> lines() {
        List<Line> lines = new ArrayList<>(List.of(title()));
        Focus focus = state.focus();
        if (focus != null && focus.isCloser()) {
            lines.addAll(new CloserLook(this, focus).lines(height - 1));
            return bounded(lines);
        }
        boolean roomy = height >= ROOMY;
        addCourse(lines);
        addGauges(lines, roomy);
        addLimits(lines, roomy);
        if (focus != null) {
            blank(lines, roomy);
            lines.add(keys("up/down select   enter closer   t threads   q end"));
        }
        return bounded(lines);
    }

    private List<Line> bounded(List<Line> lines) {
        return List.copyOf(lines.subList(0, Math.min(lines.size(), Math.max(0, height))));
    }

    private static void blank(List<Line> lines, boolean roomy) {
        if (roomy) {
            lines.add(new Line(List.of()));
        }
    }

    Line keys(String text) {
        return line().add(text, Tone.FAINT).line();
    }

    Line.Builder line() {
        return Line.of(width).add(MARGIN);
    }

    /// The command, and the time since its start.
    private Line title() {
        String clock = Planned.clock(nowNanos - state.startNanos());
        int room = width - 2 - MARGIN.length() - clock.length();
        return line().column(state.command(), room, Tone.STRONG)
                .spaces(1)
                .add(clock, Tone.FAINT)
                .line();
    }

    /// The step and what happens now, each with its time left.
    private void addCourse(List<Line> lines) {
        Step step = state.step();
        if (step != null) {
            lines.add(timed(step.text(), step.time()));
            if (!step.reached().isEmpty() && height >= LOW) {
                lines.add(climb(step.reached()));
            }
        }
        Moment moment = state.moment();
        if (moment != null) {
            lines.add(timed(moment.doing(), moment.time()));
        }
    }

    private Line timed(String text, Planned time) {
        String left = time.text(nowNanos);
        int room = width - 2 * MARGIN.length();
        int bar = Math.min(BAR_MAX, room - text.length() - left.length() - 4);
        boolean drawn = time.bound() != Planned.Bound.UNKNOWN && bar >= 4;
        int name = room - left.length() - 1 - (drawn ? bar + 2 : 0);
        Line.Builder line = line().column(text, name, Tone.PLAIN).spaces(1);
        if (drawn) {
            double share = time.share(nowNanos);
            line.add(glyphs.done(share, bar), Tone.GOOD).add(glyphs.left(share, bar), Tone.FAINT);
            line.spaces(2);
        }
        return line.add(left, Tone.FAINT).line();
    }

    /// The newest levels that fit, `16: 1,203/s`, the wall in red.
    private Line climb(List<Step.Reached> reached) {
        int room = width - 2 * MARGIN.length();
        int from = reached.size();
        int used = 0;
        while (from > 0) {
            int longer = used + text(reached.get(from - 1)).length() + glyphs.separator().length();
            if (longer > room) {
                break;
            }
            used = longer;
            from--;
        }
        Line.Builder line = line();
        for (int i = from; i < reached.size(); i++) {
            Step.Reached level = reached.get(i);
            line.add(i == from ? "" : glyphs.separator(), Tone.FAINT);
            line.add(text(level), level.wall().isEmpty() ? Tone.PLAIN : Tone.BAD);
        }
        return line.line();
    }

    static String text(Step.Reached level) {
        String rate = new Gauge("", Gauge.Kind.PER_SECOND, level.perSecond()).text();
        String wall = level.wall().isEmpty() ? "" : " " + level.wall();
        return "%,d: %s/s%s".formatted(level.connections(), rate, wall);
    }

    private void addGauges(List<Line> lines, boolean roomy) {
        Moment moment = state.moment();
        if (moment == null || moment.gauges().isEmpty()) {
            return;
        }
        blank(lines, roomy);
        int name = moment.gauges().stream().mapToInt(g -> g.name().length()).max().orElse(0);
        for (Gauge gauge : moment.gauges()) {
            Line.Builder line = line().column(gauge.name(), Math.max(NAME_MIN, name), Tone.FAINT);
            line.figures(gauge.text(), VALUE, gauge.tone());
            lines.add(
                    line.spaces(2).add(course(gauge, line.left() - 2), gauge.courseTone()).line());
        }
    }

    /// The course of failures begins with the first one.
    private String course(Gauge gauge, int room) {
        double[] course = state.course(gauge.name());
        boolean none = gauge.kind() == Gauge.Kind.FAILURES && !(gauge.value() > 0);
        return none ? "" : glyphs.sparkline(course, Math.clamp(room, 0, 2 * BAR_MAX));
    }

    private void addLimits(List<Line> lines, boolean roomy) {
        Moment moment = state.moment();
        if (moment == null || moment.limits().isEmpty()) {
            return;
        }
        blank(lines, roomy);
        int below = state.focus() == null ? 0 : roomy ? 2 : 1;
        int room = Math.max(LIMITS_MIN, height - lines.size() - below);
        LimitBars bars = new LimitBars(this, moment.limits());
        lines.addAll(bars.lines(Math.min(room, LIMITS_MAX), state.focus()));
    }

    @Nullable Fullness selected(Focus focus) {
        Moment moment = state.moment();
        return moment == null || moment.limits().isEmpty()
                ? null
                : moment.limits().get(focus.selected(moment.limits()));
    }
}
