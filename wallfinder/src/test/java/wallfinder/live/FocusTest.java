package wallfinder.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Fullness;

/// What a user with keys looks at.
class FocusTest {
    private static final List<Fullness> LIMITS = LiveStates.limits();

    private static Focus after(Focus.Key... keys) {
        Focus focus = Focus.FIRST;
        for (Focus.Key key : keys) {
            focus =
                    focus.after(
                            key,
                            LIMITS,
                            wall -> List.of("# page of " + wall, "one", "two", "three"));
        }
        return focus;
    }

    private static String screen(Focus focus, int height) {
        return LiveStates.text(LiveStates.loaded(3).with(focus), 80, height);
    }

    @Test
    void the_selection_stays_on_its_limit_and_within_the_list() {
        assertThat(after(Focus.Key.DOWN).selected(LIMITS)).isEqualTo(1);
        assertThat(after(Focus.Key.DOWN).selected(LIMITS.reversed())).isEqualTo(3);
        assertThat(after(Focus.Key.PAGE_DOWN).selected(LIMITS)).isEqualTo(LIMITS.size() - 1);
        assertThat(after(Focus.Key.DOWN, Focus.Key.UP, Focus.Key.UP).selected(LIMITS)).isZero();
    }

    @Test
    void the_selected_limit_is_always_visible() {
        assertThat(screen(after(Focus.Key.PAGE_DOWN), 12)).contains(">ports busiest");
        assertThat(screen(after(), 12)).contains(">CPU");
    }

    @Test
    void enter_shows_the_limit_its_source_and_the_page_of_its_wall() {
        Focus focus = after(Focus.Key.DOWN, Focus.Key.ENTER);
        assertThat(focus.isCloser()).isTrue();
        assertThat(screen(focus, 24))
                .contains("12,040/20,000", "read from sock_diag", "# page of accept-queue");
    }

    @Test
    void a_page_scrolls_and_ends() {
        Focus focus = after(Focus.Key.ENTER, Focus.Key.DOWN, Focus.Key.DOWN);
        assertThat(screen(focus, 24)).contains("two", "three").doesNotContain("# page", "one\n");
        assertThat(focus.after(Focus.Key.PAGE_DOWN, LIMITS, wall -> List.of()).top()).isEqualTo(3);
    }

    @Test
    void escape_and_the_same_key_lead_back() {
        assertThat(after(Focus.Key.ENTER, Focus.Key.ENTER).isCloser()).isFalse();
        assertThat(after(Focus.Key.THREADS, Focus.Key.BACK).isCloser()).isFalse();
        assertThat(after(Focus.Key.THREADS, Focus.Key.THREADS).isCloser()).isFalse();
        assertThat(after(Focus.Key.THREADS, Focus.Key.DOWN).pane())
                .isEqualTo(new Focus.Pane.States());
    }

    @Test
    void threads_are_listed_by_what_they_do() {
        LiveState state =
                LiveStates.loaded(1)
                        .with(
                                new Moment(
                                        "watching",
                                        Planned.unknown(0),
                                        List.of(),
                                        LIMITS,
                                        List.of(
                                                new Threads("web", "threads in all", 212),
                                                new Threads("web", "wait for a file", 3))))
                        .with(after(Focus.Key.THREADS));
        assertThat(LiveStates.text(state, 80, 24))
                .contains("212  web: threads in all", "3  web: wait for a file");
    }
}
