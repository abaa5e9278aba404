package wallfinder.sandbox;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Closes what is open when the process is asked to end (Ctrl-C, SIGTERM), one after the other and
/// the newest first. Shutdown hooks of the JVM would run all at once.
public final class AtExit {
    private static final Deque<AutoCloseable> OPEN = new ArrayDeque<>();
    private static @Nullable Runnable before;
    private static boolean hooked;

    private AtExit() {}

    /// Runs `before` before anything is closed, for example to let the current work end in order. A
    /// later call replaces it.
    public static synchronized void first(Runnable before) {
        AtExit.before = before;
        hook();
    }

    static synchronized void add(AutoCloseable open) {
        hook();
        OPEN.push(open);
    }

    private static void hook() {
        if (!hooked) {
            Runtime.getRuntime().addShutdownHook(new Thread(AtExit::closeAll, "at-exit"));
            hooked = true;
        }
    }

    private static synchronized @Nullable Runnable before() {
        return before;
    }

    static synchronized void remove(AutoCloseable closed) {
        OPEN.remove(closed);
    }

    private static synchronized @Nullable AutoCloseable next() {
        return OPEN.poll();
    }

    private static void closeAll() {
        Runnable before = before();
        if (before != null) {
            before.run();
        }
        AutoCloseable open = next();
        while (open != null) {
            try {
                open.close();
            } catch (Exception e) {
                // The next start sweeps what this one could not remove.
                System.err.println("wallfinder: at the end: " + e.getMessage());
            }
            open = next();
        }
    }
}
