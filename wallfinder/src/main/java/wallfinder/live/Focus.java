package wallfinder.live;

import java.util.List;
import wallfinder.diagnosis.Fullness;
import wallfinder.experiment.WallId;

/// What a user with keys looks at. The limit of the cursor is found by its key, because the lines
/// move.
///
/// @param cursor the key of the selected limit; empty for the first one
/// @param pane what the screen shows
/// @param top the first visible line of the pane's text
public record Focus(String cursor, Pane pane, int top) {
    public static final Focus FIRST = new Focus("", new Pane.Limits(), 0);

    public sealed interface Pane {
        /// The limits, the fullest first.
        record Limits() implements Pane {}

        /// A limit, how it is read, and the page of its wall.
        ///
        /// @param page the lines of the wall's page
        record Page(List<String> page) implements Pane {}

        /// What the threads do.
        record States() implements Pane {}
    }

    public enum Key {
        UP,
        DOWN,
        PAGE_UP,
        PAGE_DOWN,
        ENTER,
        THREADS,
        BACK
    }

    /// The pages of walls.
    public interface Pages {
        List<String> of(WallId wall);
    }

    private static final int PAGE = 10;

    /// What the user looks at after a key.
    ///
    /// @param limits those on the screen, in their order
    public Focus after(Key key, List<Fullness> limits, Pages pages) {
        return switch (key) {
            case UP -> moved(-1, limits);
            case DOWN -> moved(1, limits);
            case PAGE_UP -> moved(-PAGE, limits);
            case PAGE_DOWN -> moved(PAGE, limits);
            case ENTER -> limits.isEmpty() ? this : entered(limits, pages);
            case THREADS ->
                    pane instanceof Pane.States ? show(new Pane.Limits()) : show(new Pane.States());
            case BACK -> show(new Pane.Limits());
        };
    }

    private Focus entered(List<Fullness> limits, Pages pages) {
        return pane instanceof Pane.Page
                ? show(new Pane.Limits())
                : show(new Pane.Page(List.copyOf(pages.of(limits.get(selected(limits)).wall()))));
    }

    private Focus show(Pane other) {
        return new Focus(cursor, other, 0);
    }

    private Focus moved(int by, List<Fullness> limits) {
        return switch (pane) {
            case Pane.Limits _ when limits.isEmpty() -> this;
            case Pane.Limits _ -> {
                int to = Math.clamp(selected(limits) + by, 0, limits.size() - 1);
                yield new Focus(LiveState.key(limits.get(to)), pane, 0);
            }
            case Pane.Page page ->
                    new Focus(
                            cursor,
                            pane,
                            Math.clamp(top + by, 0, Math.max(0, page.page().size() - 1)));
            case Pane.States _ -> this;
        };
    }

    /// The index of the selected limit.
    int selected(List<Fullness> limits) {
        for (int i = 0; i < limits.size(); i++) {
            if (LiveState.key(limits.get(i)).equals(cursor)) {
                return i;
            }
        }
        return 0;
    }

    /// Whether it takes the whole screen.
    public boolean isCloser() {
        return !(pane instanceof Pane.Limits);
    }
}
