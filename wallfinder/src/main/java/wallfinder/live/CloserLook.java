package wallfinder.live;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wallfinder.diagnosis.Fullness;

/// What fills the screen when a user looks closer: a limit with the page of its wall, or the
/// threads.
record CloserLook(Frame frame, Focus focus) {
    private static final int COUNT = 9;

    List<Line> lines(int most) {
        List<Line> lines =
                switch (focus.pane()) {
                    case Focus.Pane.Limits _ -> new ArrayList<>();
                    case Focus.Pane.Page page -> limit(page, most - 2);
                    case Focus.Pane.States _ -> threads();
                };
        List<Line> fitting =
                new ArrayList<>(lines.subList(0, Math.min(lines.size(), Math.max(0, most - 1))));
        fitting.add(frame.keys("up/down scroll   t threads   esc back   q end"));
        return fitting;
    }

    private List<Line> limit(Focus.Pane.Page page, int most) {
        List<Line> lines = new ArrayList<>();
        Fullness limit = frame.selected(focus);
        if (limit != null) {
            lines.addAll(new LimitBars(frame, List.of(limit)).lines(1, null));
            double[] course = frame.state().course(LiveState.key(limit));
            double fullest = Arrays.stream(course).max().orElse(limit.share());
            lines.add(
                    frame.line()
                            .add("fullest " + LimitBars.percent(fullest), Tone.FAINT)
                            .add("   read from " + limit.source() + "   ", Tone.FAINT)
                            .add(frame.glyphs().sparkline(course, frame.width() / 3), Tone.GOOD)
                            .line());
            lines.add(frame.line().line());
        }
        page.page().stream()
                .flatMap(paragraph -> wrapped(paragraph, frame.width() - 2).stream())
                .skip(focus.top())
                .limit(Math.max(0, most - lines.size()))
                .forEach(lines::add);
        return lines;
    }

    private List<Line> wrapped(String paragraph, int room) {
        Tone tone = paragraph.startsWith("#") ? Tone.STRONG : Tone.PLAIN;
        List<Line> lines = new ArrayList<>();
        String rest = paragraph;
        while (rest.length() > room && room > 0) {
            int space = rest.lastIndexOf(' ', room);
            int end = space > 0 ? space : room;
            lines.add(frame.line().add(rest.substring(0, end), tone).line());
            rest = rest.substring(end).strip();
        }
        lines.add(frame.line().add(rest, tone).line());
        return lines;
    }

    private List<Line> threads() {
        List<Line> lines = new ArrayList<>(List.of(frame.line().line()));
        Moment moment = frame.state().moment();
        List<Threads> threads = moment == null ? List.of() : moment.threads();
        if (threads.isEmpty()) {
            lines.add(frame.line().add("No thread's state is known yet.").line());
        }
        for (Threads one : threads) {
            lines.add(
                    frame.line()
                            .figures("%,.0f".formatted(one.count()), COUNT, Tone.STRONG)
                            .spaces(2)
                            .add(one.service() + ": ", Tone.FAINT)
                            .add(one.state())
                            .line());
        }
        return lines;
    }
}
