package wallfinder.sampling;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Asks a JVM with virtual threads what its carriers do, at most twice a second, on a separate
/// thread. Stops after the first question that the JVM does not answer.
final class CarrierWatch implements AutoCloseable {
    private final AttachSocket socket;
    private final BooleanSupplier affordable;
    private final Thread thread = new Thread(this::run, "carrier-watch");
    private volatile boolean stopping;
    private volatile Counts seen = Counts.NOTHING;

    /// @param affordable whether the JVM has enough memory and descriptors left for an answer
    CarrierWatch(int pid, BooleanSupplier affordable) {
        this.socket = new AttachSocket(pid);
        this.affordable = affordable;
        thread.setDaemon(true);
        thread.start();
    }

    /// @param looks how often the JVM answered
    /// @param carriers the number of carriers, summed over all looks
    /// @param held the carriers among them that a waiting virtual thread occupied, summed over all
    ///   looks
    record Counts(long looks, long carriers, long held) {
        static final Counts NOTHING = new Counts(0, 0, 0);
    }

    Counts seen() {
        return seen;
    }

    private void run() {
        while (!stopping) {
            long start = System.nanoTime();
            if (affordable.getAsBoolean() && !look()) {
                return;
            }
            long took = System.nanoTime() - start;
            LockSupport.parkNanos(JvmAsking.pauseNanos(took));
        }
    }

    private boolean look() {
        String first = socket.threads();
        @Nullable String second = first == null ? null : socket.threads();
        if (first == null || second == null) {
            return false;
        }
        ThreadDump now = ThreadDump.of(second);
        Counts before = seen;
        seen =
                new Counts(
                        before.looks() + 1,
                        before.carriers() + now.carriers().size(),
                        before.held() + now.heldSince(ThreadDump.of(first)));
        return true;
    }

    @Override
    public void close() {
        stopping = true;
        JvmAsking.end(thread);
        socket.close();
    }
}
