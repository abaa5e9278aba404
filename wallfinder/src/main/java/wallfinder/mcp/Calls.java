package wallfinder.mcp;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The calls under way, by the id of their request.
final class Calls {
    private final Map<Object, Call> open = new HashMap<>();
    private boolean closed;

    synchronized Call begin(Object id) {
        Call call = new Call();
        if (closed) {
            call.cancel();
        }
        open.put(id, call);
        return call;
    }

    synchronized void end(Object id) {
        open.remove(id);
        notifyAll();
    }

    /// A call that has ended is not there any more: its client and this message crossed.
    synchronized void cancel(Object id) {
        Call call = open.get(id);
        if (call != null) {
            call.cancel();
        }
    }

    /// Ends all calls and waits for their commands.
    ///
    /// @param patience after this time the commands are killed
    synchronized void close(Duration patience) throws InterruptedException {
        closed = true;
        open.values().forEach(call -> call.cancel(patience));
        long until = System.nanoTime() + patience.plusSeconds(2).toNanos();
        for (long left = until - System.nanoTime();
                !open.isEmpty() && left > 0;
                left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
