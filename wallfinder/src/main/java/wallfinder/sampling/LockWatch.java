package wallfinder.sampling;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Asks the JVMs of a service for which lock their threads wait, on a separate thread, after a call
/// of [#look], at most twice a second and at most [#LOOKS_MAX] times.
final class LockWatch implements AutoCloseable {
    /// A JVM is stopped while it answers. So many answers show a lock that lasts.
    static final int LOOKS_MAX = 6;

    private final BooleanSupplier affordable;
    private final Map<Integer, Asked> asked = new TreeMap<>(); // of the own thread
    private final Thread thread = new Thread(this::run, "lock-watch");
    private volatile List<Integer> pids = List.of();
    private volatile boolean stopping;
    private volatile Seen seen = Seen.NOTHING;

    /// @param affordable whether the JVM has enough memory and descriptors left for an answer
    LockWatch(BooleanSupplier affordable) {
        this.affordable = affordable;
        thread.setDaemon(true);
    }

    /// A process that may be a JVM.
    private static final class Asked {
        private final JvmThreads threads;
        private final AttachSocket socket;
        private boolean silent;

        Asked(int pid) {
            threads = new JvmThreads(pid);
            socket = new AttachSocket(pid);
        }

        /// Nothing after the first time without an answer, as of a program that is no JVM.
        @Nullable String dump() {
            if (silent) {
                return null;
            }
            threads.scan();
            String text = threads.isJvm() ? socket.threads() : null;
            silent = text == null;
            return text;
        }
    }

    /// @param looks in how many rounds a JVM answered
    /// @param waiters the threads that waited for the lock with the most of them, summed over all
    ///   looks
    /// @param most the lock for which the most threads waited at a look
    record Seen(long looks, long waiters, @Nullable LockDump most) {
        static final Seen NOTHING = new Seen(0, 0, null);

        /// Adds a round. A lock is one JVM's, so the waiters are those of the JVM with the most.
        Seen and(List<Optional<LockDump>> answers) {
            if (answers.isEmpty()) {
                return this;
            }
            LockDump now =
                    answers.stream()
                            .flatMap(Optional::stream)
                            .max(LockDump.BY_THREADS)
                            .orElse(null);
            if (now == null) {
                return new Seen(looks + 1, waiters, most);
            }
            boolean more = most == null || LockDump.BY_THREADS.compare(now, most) > 0;
            return new Seen(looks + 1, waiters + now.waiters(), more ? now : most);
        }
    }

    Seen seen() {
        return seen;
    }

    /// Looks soon at these processes. The first call starts the thread.
    void look(List<Integer> processes) {
        pids = processes;
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        }
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!stopping && seen.looks() < LOOKS_MAX) {
            List<Integer> now = pids;
            pids = List.of();
            if (now.isEmpty() || !affordable.getAsBoolean()) {
                LockSupport.parkNanos(JvmAsking.PAUSE_NANOS_MAX);
                continue;
            }
            long start = System.nanoTime();
            ask(now);
            pause(JvmAsking.pauseNanos(System.nanoTime() - start));
        }
    }

    /// Calls of [#look] end a park, but not this pause.
    private void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !stopping; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void ask(List<Integer> processes) {
        List<Optional<LockDump>> answers = new ArrayList<>();
        for (int pid : processes) {
            String dump = asked.computeIfAbsent(pid, Asked::new).dump();
            if (dump != null) {
                answers.add(LockDump.of(dump));
            }
        }
        seen = seen.and(answers);
    }

    @Override
    public void close() {
        stopping = true;
        if (thread.getState() == Thread.State.NEW) {
            return;
        }
        JvmAsking.end(thread);
        asked.values().forEach(one -> one.socket.close());
    }
}
