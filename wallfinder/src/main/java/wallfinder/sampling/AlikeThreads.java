package wallfinder.sampling;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// Counts what threads of one kind wait for. Threads are of one kind if their names differ only in
/// numbers, such as the workers of a pool. The figures are those of the kind with the most threads
/// in a blocking network call. A thread that waits for many connections at once, such as an event
/// loop, does not count.
final class AlikeThreads {
    /// What `wchan` contains for a thread that is not asleep.
    private static final String RUNNING = "0";

    /// A thread of a JVM has the name of the JVM until it gives itself its own.
    private static final int NAMED_AFTER_SLICES = 20;

    private static final Pattern NUMBERS = Pattern.compile("\\d+");

    private int receiving;
    private int queueing;

    static final class Sleeper {
        private String kind = "";
        private boolean receives;
        private boolean waits;
        private boolean sleeps;

        /// Whether it has run since the last scan.
        boolean ran;

        /// Whether the last look found it asleep. A thread that was still running has to be looked
        /// at again, although it may fall asleep without another slice of CPU time.
        boolean sleeps() {
            return sleeps;
        }

        /// Finds out where the thread sleeps. The answer is valid until the thread runs again.
        ///
        /// @param slices how often it has got a CPU so far
        void look(KernelText text, String folder, double slices) {
            String function = text.loadOnce(folder + "/wchan") ? text.word() : "";
            sleeps = !function.isEmpty() && !function.equals(RUNNING);
            receives = receives(function);
            waits = function.startsWith("futex");
            boolean unnamed = kind.isEmpty() || slices < NAMED_AFTER_SLICES;
            if (unnamed && text.loadOnce(folder + "/comm")) {
                kind = NUMBERS.matcher(text.word()).replaceAll("#");
            }
        }

        /// Whether a thread in this kernel function waits for one connection: `tcp_recvmsg` and
        /// similar calls sleep in the first two functions, poll(2) in the others. `epoll_wait`
        /// sleeps elsewhere.
        private static boolean receives(String function) {
            return function.equals("wait_woken")
                    || function.startsWith("sk_wait")
                    || function.startsWith("do_sys_poll")
                    || function.startsWith("do_poll")
                    || function.startsWith("poll_schedule");
        }
    }

    private static final class Kind {
        private int receiving;
        private int queueing;
    }

    void count(Collection<Sleeper> threads) {
        Map<String, Kind> kinds = new HashMap<>();
        for (Sleeper thread : threads) {
            Kind kind = kinds.computeIfAbsent(thread.kind, k -> new Kind());
            kind.receiving += thread.receives ? 1 : 0;
            kind.queueing += thread.waits && thread.ran ? 1 : 0;
        }
        receiving = 0;
        queueing = 0;
        for (Kind kind : kinds.values()) {
            if (kind.receiving > receiving) {
                receiving = kind.receiving;
                queueing = kind.queueing;
            }
        }
    }

    int receiving() {
        return receiving;
    }

    /// The threads of that kind that wait for another thread and have run since the last scan: they
    /// compete for something, and get it now and then.
    int queueing() {
        return queueing;
    }
}
