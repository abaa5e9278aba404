package wallfinder.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;
import wallfinder.live.Focus;
import wallfinder.live.LiveState;
import wallfinder.live.Moment;
import wallfinder.report.WallPages;

/// Reads the keys of a user who watches.
final class Keys implements Runnable {
    private static final long WAIT_MILLIS = 200;

    /// The rest of a key's sequence arrives together with its beginning.
    private static final long REST_MILLIS = 20;

    private static final int ESCAPE = 27;
    private static final int SEQUENCE_MAX = 8;

    private static final Map<String, Focus.Key> SEQUENCES =
            Map.of(
                    "[A", Focus.Key.UP,
                    "OA", Focus.Key.UP,
                    "[B", Focus.Key.DOWN,
                    "OB", Focus.Key.DOWN,
                    "[5~", Focus.Key.PAGE_UP,
                    "[6~", Focus.Key.PAGE_DOWN,
                    "", Focus.Key.BACK);

    private final NonBlockingReader reader;
    private final Consumer<UnaryOperator<LiveState>> screen;
    private final BooleanSupplier closed;

    Keys(
            NonBlockingReader reader,
            Consumer<UnaryOperator<LiveState>> screen,
            BooleanSupplier closed) {
        this.reader = reader;
        this.screen = screen;
        this.closed = closed;
    }

    @Override
    public void run() {
        try {
            int read = reader.read(WAIT_MILLIS);
            while (!closed.getAsBoolean() && read != NonBlockingReader.EOF) {
                if (read == 'q') {
                    // As Ctrl-C does: the hooks of the program let the run end in order.
                    System.exit(ExitCode.INTERRUPTED);
                }
                Focus.Key key = read < 0 ? null : key(read);
                if (key != null) {
                    screen.accept(state -> after(state, key));
                }
                read = reader.read(WAIT_MILLIS);
            }
        } catch (IOException e) {
            // The terminal is gone, or the view has ended.
        }
    }

    private Focus.@Nullable Key key(int first) throws IOException {
        return switch (first) {
            case 'k' -> Focus.Key.UP;
            case 'j' -> Focus.Key.DOWN;
            case '\r', '\n' -> Focus.Key.ENTER;
            case 't' -> Focus.Key.THREADS;
            case ' ' -> Focus.Key.PAGE_DOWN;
            case ESCAPE -> SEQUENCES.get(rest());
            default -> null;
        };
    }

    private String rest() throws IOException {
        StringBuilder rest = new StringBuilder();
        int next = reader.read(REST_MILLIS);
        while (next >= 0 && rest.length() < SEQUENCE_MAX) {
            rest.append((char) next);
            boolean begins = rest.length() == 1 && (next == '[' || next == 'O');
            if (!begins && (Character.isLetter(next) || next == '~')) {
                break;
            }
            next = reader.read(REST_MILLIS);
        }
        return rest.toString();
    }

    private static LiveState after(LiveState state, Focus.Key key) {
        Moment moment = state.moment();
        Focus focus = state.focus();
        return focus == null
                ? state
                : state.with(
                        focus.after(
                                key,
                                moment == null ? List.of() : moment.limits(),
                                wall -> page(wall.word())));
    }

    private static List<String> page(String wall) {
        try {
            return WallPages.page(wall).lines().toList();
        } catch (IOException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }
}
