package wallfinder.mcp;

import java.io.IOException;
import java.io.Reader;
import java.util.function.Consumer;
import wallfinder.record.Harmless;

/// What a command prints, up to a bound: the beginning, and each line as it comes.
final class Printed {
    static final int CHARS_MAX = 40_000;
    private static final int LINE_CHARS_MAX = 500;
    private static final String CUT = "\n... (the rest is left out)\n";

    private final StringBuilder text = new StringBuilder();
    private final StringBuilder line = new StringBuilder();
    private final Thread reader;
    private boolean cut;

    /// Begins to read, on a thread of its own: a full pipe would stop the command.
    Printed(Reader from, Consumer<String> lines) {
        reader = Thread.ofVirtual().start(() -> read(from, lines));
    }

    private void read(Reader from, Consumer<String> lines) {
        char[] some = new char[8192];
        try (from) {
            for (int count = from.read(some); count >= 0; count = from.read(some)) {
                take(some, count, lines);
            }
        } catch (IOException e) {
            // The command was killed.
        }
    }

    private void take(char[] some, int count, Consumer<String> lines) {
        synchronized (this) {
            int room = Math.min(count, CHARS_MAX - text.length());
            text.append(some, 0, room);
            cut |= room < count;
        }
        for (int i = 0; i < count; i++) {
            if (some[i] != '\n') {
                if (line.length() < LINE_CHARS_MAX) {
                    line.append(some[i]);
                }
            } else if (!line.isEmpty()) {
                lines.accept(Harmless.line(line.toString()));
                line.setLength(0);
            }
        }
    }

    /// All of it, if the command has ended. A program that the command has left behind may still
    /// keep the pipe open, so the wait is bounded.
    String text() throws InterruptedException {
        reader.join(2000);
        synchronized (this) {
            return Harmless.lines(text.toString()) + (cut ? CUT : "");
        }
    }
}
