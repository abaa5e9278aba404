package wallfinder.sampling;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// What threads of one kind do: those whose names differ in their numbers alone, such as the
/// workers of a pool. Told is the kind of which most wait for the network in a call that blocks; a
/// thread that waits for many connections at once, as an event loop does, is not counted.
final class AlikeThreads {
    private static final Pattern NUMBERS = Pattern.compile("\\d+");

    private int receiving;
    private int queueing;

    /// A thread that sleeps now and then, and where.
    static final class Sleeper {
        private String kind = "";
        private boolean receives;
        private boolean waits;

        /// It ran since the last look.
        boolean ran;

        /// Finds out where it sleeps. As long as it does not run, that stays so.
        ///
        /// @param folder of the thread in `/proc`
        void look(KernelText text, String folder) {
            String function = text.loadOnce(folder + "/wchan") ? text.word() : "";
            receives = receives(function);
            waits = function.startsWith("futex");
            if (kind.isEmpty() && text.loadOnce(folder + "/comm")) {
                kind = NUMBERS.matcher(text.word()).replaceAll("#");
            }
        }

        /// In a call on one connection: `tcp_recvmsg` and its like wait in the first two, poll(2)
        /// in the others; `epoll_wait` is none of them.
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

    /// Threads of that kind that wait for the network.
    int receiving() {
        return receiving;
    }

    /// Threads of that kind that wait for another thread, and ran since the last look: they want
    /// something, and get it now and then.
    int queueing() {
        return queueing;
    }
}
