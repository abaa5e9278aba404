package wallfinder.live;

import static org.assertj.core.api.Assertions.assertThat;
import static wallfinder.live.LiveStates.SECOND;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.diagnosis.Fullness;
import wallfinder.observation.Unit;
import wallfinder.record.Harmless;

/// What the terminal shows of a state, at several sizes.
class FrameTest {
    private static final String AT_80_BY_24 =
            """
             wallfinder load http://127.0.0.1:8080/ -c 64 -d 30s                       12 s
             climb 1                                                               for 12 s
             16: 310/s · 32: 618/s · 64: 1,204/s · 128: 1,190/s accept-queue
             64 connections  ━━━━━━━━━━━━━━━━━━━━┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈  18 s left

             answers/s      4,000  ▁▁▂▂▂▂▂▂▃▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▅▆▆▆▆▆▆▇▇▇▇▇▇███
             failed             0
             p50          1.23 ms  ████████████████████████████████████████
             p99          13.9 ms  ▆▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇██████████

             CPU                             0.94/1 ██████████████████████████████░░  94 %
             descriptors users        12,040/20,000 ███████████████████░░░░░░░░░░░░░  60 %
             heap users             110.1/256.0 MiB ██████████████░░░░░░░░░░░░░░░░░░  43 %
             accept queue 8080               31/128 ████████░░░░░░░░░░░░░░░░░░░░░░░░  24 %
             ports busiest (client)       64/28,232 █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0 %
            """;

    private static final String AT_200_BY_60 =
            """
             wallfinder load http://127.0.0.1:8080/ -c 64 -d 30s                                                                         12 s
             climb 1                                                                                                                 for 12 s
             16: 310/s · 32: 618/s · 64: 1,204/s · 128: 1,190/s accept-queue
             64 connections                                           ━━━━━━━━━━━━━━━━━━━━━━━━┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈  18 s left

             answers/s      4,000  ▁▁▂▂▂▂▂▂▃▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▅▆▆▆▆▆▆▇▇▇▇▇▇███
             failed             0
             p50          1.23 ms  ████████████████████████████████████████
             p99          13.9 ms  ▆▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇██████████

             CPU                             0.94/1 ████████████████████████████████████████████████████████░░░░  94 %
             descriptors users        12,040/20,000 ████████████████████████████████████░░░░░░░░░░░░░░░░░░░░░░░░  60 %
             heap users             110.1/256.0 MiB ██████████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  43 %
             accept queue 8080               31/128 ███████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  24 %
             ports busiest (client)       64/28,232 █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0 %
            """;

    private static final String AT_40_BY_10 =
            """
             wallfinder load http://127.0.0.1… 12 s
             climb 1                       for 12 s
             64 connections  ━━━━┈┈┈┈┈┈┈  18 s left
             answers/s      4,000  ▆▆▆▆▆▆▇▇▇▇▇▇███
             failed             0
             p50          1.23 ms  ███████████████
             p99          13.9 ms  ▇▇▇▇▇██████████
             CPU                  0.94/1   94 %
             descriptor…   12,040/20,000   60 %
            """;

    @Test
    void a_climb_on_a_usual_terminal() {
        assertThat(LiveStates.text(LiveStates.climbing(), 80, 23)).isEqualTo(AT_80_BY_24);
    }

    @Test
    void a_climb_on_a_large_terminal_has_longer_bars_and_lines_that_can_be_read() {
        assertThat(LiveStates.text(LiveStates.climbing(), 200, 59)).isEqualTo(AT_200_BY_60);
    }

    @Test
    void a_climb_on_a_small_terminal_has_no_empty_lines_and_whole_figures() {
        assertThat(LiveStates.text(LiveStates.climbing(), 40, 9)).isEqualTo(AT_40_BY_10);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "5, 3", "12, 2", "25, 6", "79, 10", "300, 100"})
    void no_frame_is_larger_than_its_terminal(int width, int height) {
        for (LiveState state : states()) {
            List<Line> lines = LiveStates.lines(state, width, height);
            assertThat(lines).hasSizeLessThanOrEqualTo(height);
            assertThat(lines)
                    .allSatisfy(line ->
                            assertThat(LiveStates.text(line).length()).isLessThanOrEqualTo(width));
        }
    }

    private static List<LiveState> states() {
        LiveState state = LiveStates.climbing();
        return List.of(
                LiveState.begin("wallfinder load", 0),
                state,
                state.with(Focus.FIRST),
                state.with(
                        new Focus(
                                "",
                                new Focus.Pane.Page(List.of("# a page", "text ".repeat(90))),
                                0)),
                state.with(new Focus("", new Focus.Pane.States(), 0)));
    }

    @Test
    void a_full_limit_is_red_and_a_wall_of_the_climb_too() {
        List<Line> lines = LiveStates.lines(LiveStates.climbing(), 80, 24);
        assertThat(LiveStates.toned(lines, Tone.BAD))
                .contains("128: 1,190/s accept-queue", " 94 %".strip())
                .noneMatch(text -> text.contains("60 %"));
    }

    @Test
    void failures_are_red() {
        LiveState state =
                LiveStates.loaded(1)
                        .with(
                                new Moment(
                                        "64 connections",
                                        Planned.unknown(0),
                                        LiveStates.gauges(100, 3),
                                        List.of()));
        assertThat(LiveStates.toned(LiveStates.lines(state, 80, 24), Tone.BAD)).contains("3");
        List<Line> without = LiveStates.lines(LiveStates.loaded(1), 80, 24);
        assertThat(LiveStates.toned(without, Tone.BAD)).noneMatch(text -> text.equals("0"));
    }

    @Test
    void control_characters_of_a_name_never_reach_the_terminal() {
        String hostile = "web\u001b[2J\u0007\r\n\u009b31m\u202e\u200b\u0301\uD83D\uDE00 \u5BFF";
        Fullness limit = LiveStates.limit("heap " + hostile, 1, 2, Unit.COUNT);
        Moment moment =
                new Moment(
                        "starting " + hostile,
                        Planned.unknown(0),
                        List.of(new Gauge(hostile, Gauge.Kind.COUNT, 1)),
                        List.of(limit),
                        List.of(new Threads(hostile, "wait", 1)));
        LiveState state =
                LiveState.begin("wallfinder load " + hostile, 0)
                        .with(new Step(hostile, Planned.unknown(0)))
                        .with(moment);
        Stream.of(
                        state,
                        state.with(new Focus("", new Focus.Pane.States(), 0)),
                        state.with(new Focus("", new Focus.Pane.Page(List.of(hostile)), 0)))
                .flatMap(one -> LiveStates.lines(one, 80, 24).stream())
                .forEach(line ->
                        assertThat(LiveStates.text(line)).matches("[\\x20-\\x7e…·━┈█░▁▂▃▄▅▆▇]*"));
        assertThat(Harmless.line(hostile)).startsWith("web [2J").doesNotContain("\u001b", "\n");
    }

    @Test
    void without_utf_8_a_frame_is_ascii() {
        new Frame(LiveStates.climbing(), 12 * SECOND, 80, 24, Glyphs.ASCII)
                .lines()
                .forEach(line -> assertThat(LiveStates.text(line)).matches("\\p{ASCII}*"));
    }

    @Test
    void the_time_left_says_how_sure_it_is() {
        Duration minute = Duration.ofSeconds(60);
        long now = 10 * SECOND;
        assertThat(Planned.exactly(0, minute).text(now)).isEqualTo("50 s left");
        assertThat(Planned.atMost(0, minute).text(now)).isEqualTo("at most 50 s left");
        assertThat(Planned.estimated(0, now, 185, Planned.Bound.ABOUT).text(now))
                .isEqualTo("about 3 min 05 s left");
        assertThat(Planned.estimated(0, now, 7_600, Planned.Bound.UP_TO_ABOUT).text(now))
                .isEqualTo("up to about 2 h 06 min left");
        assertThat(Planned.estimated(0, now, 5, Planned.Bound.AT_LEAST).text(2 * now))
                .isEqualTo("longer than estimated");
        assertThat(Planned.unknown(0).text(now)).isEqualTo("for 10 s");
    }

    @Test
    void limits_of_nearly_the_same_share_keep_their_order() {
        LiveState state = LiveStates.loaded(1);
        assertThat(names(state)).startsWith("CPU", "descriptors users");
        state = state.with(moment(0.60, 0.61));
        assertThat(names(state)).containsExactly("CPU", "descriptors users");
        state = state.with(moment(0.60, 0.70));
        assertThat(names(state)).containsExactly("descriptors users", "CPU");
    }

    private static Moment moment(double cpu, double descriptors) {
        return new Moment(
                "64 connections",
                Planned.unknown(0),
                List.of(),
                List.of(
                        LiveStates.limit("descriptors users", descriptors, 1, Unit.COUNT),
                        LiveStates.limit("CPU", cpu, 1, Unit.CPUS)));
    }

    private static List<String> names(LiveState state) {
        Moment moment = state.moment();
        assertThat(moment).isNotNull();
        return moment.limits().stream().map(Fullness::limit).toList();
    }
}
