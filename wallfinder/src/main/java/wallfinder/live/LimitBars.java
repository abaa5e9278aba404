package wallfinder.live;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Fullness;
import wallfinder.observation.End;
import wallfinder.record.NumberText;

/// The limits as bars: `accept queue 8080 31/128 ███░░░ 24 %`.
record LimitBars(Frame frame, List<Fullness> limits) {
    private static final int BAR_MIN = 4;
    private static final int BAR_MAX = 60;
    private static final int PERCENT = 6;

    /// From here on a limit is near, and from there on it is as good as full.
    private static final double NEAR = 0.7;

    private static final double FULL = 0.9;

    /// At most as many lines; the selected limit is always among them.
    List<Line> lines(int most, @Nullable Focus focus) {
        int chosen = focus == null ? -1 : focus.selected(limits);
        int from = Math.clamp(chosen - most + 1L, 0, Math.max(0, limits.size() - most));
        List<Fullness> shown = limits.subList(from, Math.min(limits.size(), from + most));
        int room = frame.width() - 2;
        int used = widest(shown.stream().map(LimitBars::used).toList(), room);
        int name = widest(shown.stream().map(LimitBars::name).toList(), room - used - PERCENT - 6);
        int bar = Math.min(BAR_MAX, room - name - used - PERCENT - 3);
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < shown.size(); i++) {
            lines.add(line(shown.get(i), from + i == chosen, name, used, bar));
        }
        return lines;
    }

    private static int widest(List<String> texts, int most) {
        return Math.min(texts.stream().mapToInt(String::length).max().orElse(0), Math.max(0, most));
    }

    private Line line(Fullness limit, boolean chosen, int name, int used, int bar) {
        Tone tone = tone(limit.share());
        Line.Builder line = Line.of(frame.width()).add(chosen ? ">" : " ", Tone.CHOSEN);
        line.column(name(limit), name, chosen ? Tone.CHOSEN : Tone.PLAIN).spaces(1);
        line.figures(used(limit), used, Tone.STRONG).spaces(1);
        if (bar >= BAR_MIN) {
            Glyphs glyphs = frame.glyphs();
            line.add(glyphs.full(limit.share(), bar), tone);
            line.add(glyphs.empty(limit.share(), bar), Tone.FAINT);
        }
        return line.figures(percent(limit.share()), PERCENT, tone).line();
    }

    static Tone tone(double share) {
        return share >= FULL ? Tone.BAD : share >= NEAR ? Tone.NEAR : Tone.GOOD;
    }

    static String percent(double share) {
        return "%.0f %%".formatted(100 * share);
    }

    static String name(Fullness limit) {
        return limit.end() == End.SERVER ? limit.limit() : limit.limit() + " (client)";
    }

    /// `31/128`, `110.2/256.0 MiB`, `0.87/2 CPUs`.
    static String used(Fullness limit) {
        return switch (limit.unit()) {
            case BYTES -> bytes(limit.used(), limit.most());
            case CPUS, SECONDS, MICROSECONDS ->
                    "%.2f/%s".formatted(limit.used(), NumberText.figure(limit.most()));
            case PAGES, COUNT -> "%,.0f/%,.0f".formatted(limit.used(), limit.most());
        };
    }

    /// Both in the unit of the limit.
    private static String bytes(double used, double most) {
        String limit = NumberText.bytes(most);
        double unit = most / Double.parseDouble(limit.substring(0, limit.indexOf(' ')));
        return "%.1f/%s".formatted(used / unit, limit);
    }
}
