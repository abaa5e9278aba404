package wallfinder.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;
import wallfinder.live.Focus;
import wallfinder.live.Frame;
import wallfinder.live.Glyphs;
import wallfinder.live.Line;
import wallfinder.live.LiveState;
import wallfinder.live.Moment;
import wallfinder.record.Harmless;

/// Draws the live view at the bottom of the terminal, below the lines that stay. Between two
/// drawings the cursor is at the beginning of the view. So whatever a resize does to its lines, the
/// view is what follows the cursor, and one command erases it. The cursor stays visible: a program
/// that is killed could not show it again.
///
/// A thread of its own draws, so a terminal that takes nothing (Ctrl-S, a slow line) delays no
/// measurement. This is the only class that loads JLine.
final class Screen implements AutoCloseable {
    private static final long DRAW_NANOS = Moment.INTERVAL.toNanos();

    /// After a longer pause the program was stopped (Ctrl-Z), and the cursor is elsewhere.
    private static final long STOPPED_NANOS = 2_000_000_000;

    /// A terminal that takes nothing for this long is left as it is.
    private static final long STUCK_SECONDS = 2;

    private static final int SAID_MAX = 1000;
    private static final int COLUMNS_DEFAULT = 80;
    private static final int ROWS_DEFAULT = 24;

    /// The first line, then everything below. tmux keeps a whole screen that is erased by one
    /// command.
    private static final String ERASE = "\r\u001b[K\n\u001b[J\u001b[A";

    private static final String ERASE_REST = "\u001b[K";
    private static final Line EMPTY = new Line(List.of());

    /// A terminal that has just become narrower must not break a line: each is one row.
    private static final String CUT_LINES = "\u001b[?7l";

    private static final String WRAP_LINES = "\u001b[?7h";
    private static final String OTHER_SCREEN = "\u001b[?1049h";
    private static final String USUAL_SCREEN = "\u001b[?1049l";

    private final Terminal terminal;
    private final Glyphs glyphs;
    private final AtomicReference<LiveState> state;
    private final BlockingQueue<String> said = new ArrayBlockingQueue<>(SAID_MAX);
    private final ReentrantLock drawing = new ReentrantLock();
    private final Thread drawer = Thread.ofPlatform().daemon().unstarted(this::draw);
    private final Thread restorer = Thread.ofPlatform().unstarted(this::close);
    private List<Line> drawn = List.of();
    private Size size = Size.of(0, 0);
    private boolean closer;
    private long drawnNanos = System.nanoTime();
    private volatile boolean closed;

    private Screen(Terminal terminal, LiveState begin) {
        this.terminal = terminal;
        glyphs =
                terminal.outputEncoding().equals(StandardCharsets.UTF_8)
                        ? Glyphs.BLOCKS
                        : Glyphs.ASCII;
        state = new AtomicReference<>(begin);
    }

    /// @param keys whether to read keys
    /// @return null if this terminal cannot be used
    static @Nullable Screen open(String command, boolean keys) {
        LiveState begin = LiveState.begin(command, System.nanoTime());
        // Otherwise JLine replaces lines by letters of another character set.
        System.setProperty(TerminalBuilder.PROP_DISABLE_ALTERNATE_CHARSET, "true");
        try {
            Terminal terminal =
                    TerminalBuilder.builder()
                            .system(true)
                            .systemOutput(TerminalBuilder.SystemOutput.SysErr)
                            .provider(TerminalBuilder.PROP_PROVIDER_FFM)
                            .dumb(false)
                            .nativeSignals(false)
                            .build();
            Screen screen = new Screen(terminal, keys ? begin.with(Focus.FIRST) : begin);
            screen.begin(keys);
            return screen;
        } catch (IOException | IllegalStateException e) {
            return null;
        }
    }

    /// Turns off the echo of keys, and that a key waits for a line's end. Ctrl-C and Ctrl-Z go on
    /// to send their signals.
    private void begin(boolean keys) {
        Attributes quiet = terminal.getAttributes();
        quiet.setLocalFlag(LocalFlag.ICANON, false);
        quiet.setLocalFlag(LocalFlag.ECHO, false);
        Runtime.getRuntime().addShutdownHook(restorer);
        terminal.setAttributes(quiet);
        drawOnce();
        drawer.start();
        if (keys) {
            Thread.ofPlatform()
                    .daemon()
                    .start(new Keys(terminal.reader(), this::answer, () -> closed));
        }
    }

    void change(UnaryOperator<LiveState> change) {
        state.updateAndGet(change);
    }

    /// The user sees the answer to a key at once.
    private void answer(UnaryOperator<LiveState> change) {
        change(change);
        LockSupport.unpark(drawer);
    }

    /// @return false if the view has ended: the caller prints the line
    boolean say(String line) {
        synchronized (said) {
            return !closed && said.offer(line);
        }
    }

    private void draw() {
        while (!closed) {
            LockSupport.parkNanos(DRAW_NANOS);
            try {
                drawOnce();
            } catch (RuntimeException | Error e) {
                close();
                System.err.println("the live view ended, and the run goes on: " + e);
            }
        }
    }

    private void drawOnce() {
        drawing.lock();
        try {
            if (!closed && Console.isInForeground()) {
                LiveState now = state.get();
                adapt(now);
                List<Line> lines =
                        new Frame(
                                        now,
                                        System.nanoTime(),
                                        Math.max(1, size.getColumns() - 1),
                                        closer ? size.getRows() : size.getRows() - 1,
                                        glyphs)
                                .lines();
                terminal.writer().write(changes(lines));
                terminal.flush();
                drawn = lines;
            }
        } finally {
            drawing.unlock();
        }
    }

    /// Begins the view anew if the terminal has changed, or if lines above it are to be printed.
    private void adapt(LiveState now) {
        Size sizeNow = size(terminal.getSize());
        long nanos = System.nanoTime();
        Focus focus = now.focus();
        boolean closerNow = focus != null && focus.isCloser();
        boolean changed = !sizeNow.equals(size) || nanos - drawnNanos > STOPPED_NANOS;
        boolean speaks = !said.isEmpty() && !closerNow;
        drawnNanos = nanos;
        if (!changed && !speaks && closerNow == closer) {
            return;
        }
        StringBuilder text = new StringBuilder();
        if (closer && !closerNow) {
            text.append(ERASE).append(USUAL_SCREEN);
        }
        text.append(ERASE);
        if (closerNow && !closer) {
            text.append(OTHER_SCREEN).append("\u001b[H");
        }
        text.append(speaks ? spoken() : "");
        terminal.writer().write(text.toString());
        size = sizeNow;
        closer = closerNow;
        drawn = List.of();
    }

    private String spoken() {
        List<String> lines = new ArrayList<>();
        said.drainTo(lines);
        return String.join("", lines.stream().map(line -> Harmless.line(line) + "\r\n").toList());
    }

    private static Size size(Size reported) {
        return reported.getColumns() > 0 && reported.getRows() > 0
                ? reported
                : Size.of(COLUMNS_DEFAULT, ROWS_DEFAULT);
    }

    /// Writes the lines that have changed, erases those that are gone, and returns to the first.
    private String changes(List<Line> lines) {
        if (lines.equals(drawn)) {
            return "";
        }
        int rows = Math.max(lines.size(), drawn.size());
        StringBuilder text = new StringBuilder(CUT_LINES);
        for (int row = 0; row < rows; row++) {
            Line now = row < lines.size() ? lines.get(row) : EMPTY;
            boolean same = row < drawn.size() && now.equals(drawn.get(row));
            text.append(row == 0 ? "" : "\r\n");
            text.append(same ? "" : styled(now).toAnsi(terminal) + ERASE_REST);
        }
        return text + (rows > 1 ? "\u001b[%dA".formatted(rows - 1) : "") + "\r" + WRAP_LINES;
    }

    private static AttributedString styled(Line line) {
        AttributedStringBuilder text = new AttributedStringBuilder();
        line.parts().forEach(part -> text.append(part.text(), style(part)));
        return text.toAttributedString();
    }

    private static AttributedStyle style(Line.Part part) {
        return switch (part.tone()) {
            case PLAIN -> AttributedStyle.DEFAULT;
            case STRONG -> AttributedStyle.BOLD;
            case FAINT -> AttributedStyle.DEFAULT.faint();
            case GOOD -> AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
            case NEAR -> AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
            case BAD -> AttributedStyle.BOLD.foreground(AttributedStyle.RED);
            case CHOSEN -> AttributedStyle.BOLD.foreground(AttributedStyle.CYAN);
        };
    }

    /// Erases the view and restores the terminal. It also runs when the program ends by a signal,
    /// beside other hooks, so it writes to the descriptor itself: JLine may have ended before.
    @Override
    public void close() {
        boolean mine = locked();
        try {
            if (closed) {
                return;
            }
            synchronized (said) {
                closed = true;
            }
            if (mine) {
                PrintStream err =
                        new PrintStream(
                                new FileOutputStream(FileDescriptor.err),
                                false,
                                terminal.outputEncoding());
                err.print((closer ? ERASE + USUAL_SCREEN : "") + ERASE + spoken());
                err.flush();
            }
            terminal.close();
        } catch (IOException e) {
            // The terminal is gone.
        } finally {
            if (mine) {
                drawing.unlock();
            }
        }
    }

    private boolean locked() {
        try {
            return drawing.tryLock(STUCK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
