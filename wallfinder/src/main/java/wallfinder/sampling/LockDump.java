package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The lock in a JVM's thread dump for which most threads wait. A thread that waits for work waits
/// for a condition, which is none of these locks.
///
/// @param type the class of the lock, such as `java.lang.Object`
/// @param waiters how many threads wait for it
/// @param wantedAt where the first of them stands: its innermost calls outside of the JDK, such as
///   `Store.read(Store.java:20) called from Main.handle(Main.java:9)`
/// @param owner the thread that has it; null if the dump does not say so, as for a `ReentrantLock`
/// @param ownedAt where the owner stands
record LockDump(
        String type,
        int waiters,
        @Nullable String wantedAt,
        @Nullable String owner,
        @Nullable String ownedAt) {
    /// By how many threads have the lock or wait for it. In a dump without an owner, the next owner
    /// still waits. Of two equal dumps, the one that shows the owner says more.
    static final Comparator<LockDump> BY_THREADS =
            Comparator.comparingInt(LockDump::threads).thenComparing(dump -> dump.owner != null);

    /// ```
    /// "handler-7" #24 [7369] prio=5 os_prio=0 cpu=8.82ms elapsed=0.67s …
    ///    java.lang.Thread.State: BLOCKED (on object monitor)
    ///         at Store.read(Store.java:20)
    ///         - waiting to lock <0x00000007ffe04f58> (a java.lang.Object)
    /// ```
    private static final Pattern NAME = Pattern.compile("^\"(.*)\" .*");

    private static final Pattern FRAME =
            Pattern.compile("^\\s+at (?:[^(\\s]*/)?([^/(\\s]+\\(.*\\))");

    private static final Pattern WAITS =
            Pattern.compile(
                    "^\\s+- (?:waiting to lock|parking to wait for +)\\s*<(\\w+)> \\(a (\\S+)\\)");

    private static final Pattern OWNS = Pattern.compile("^\\s+- locked <(\\w+)>");

    /// The locks of the JDK for which threads park. Other classes park threads that wait for work
    /// or for a permit.
    private static final Pattern PARKING_LOCK =
            Pattern.compile("java\\.util\\.concurrent\\.locks\\.\\w+Lock(\\$\\w+)?");

    private static final Pattern OF_THE_JDK =
            Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\..*");

    private static final int NAME_MAX = 60;

    /// More would not fit on a line.
    private static final int CALLS_MAX = 3;

    /// One thread of a dump.
    private static final class Block {
        private final String name;
        private final List<String> owns = new ArrayList<>();
        private @Nullable String frame;
        private final List<String> own = new ArrayList<>();
        private @Nullable String wants;
        private @Nullable String type;

        Block(String name) {
            this.name = name;
        }

        void add(String line) {
            Matcher at = FRAME.matcher(line);
            if (at.find()) {
                String text = at.group(1);
                frame = frame == null ? text : frame;
                if (own.size() < CALLS_MAX && !OF_THE_JDK.matcher(text).matches()) {
                    own.add(text);
                }
                return;
            }
            Matcher waits = WAITS.matcher(line);
            if (waits.find()) {
                boolean parks = line.contains("parking");
                if (!parks || PARKING_LOCK.matcher(waits.group(2)).matches()) {
                    wants = waits.group(1);
                    type = waits.group(2);
                }
                return;
            }
            Matcher has = OWNS.matcher(line);
            if (has.find()) {
                owns.add(has.group(1));
            }
        }

        @Nullable String place() {
            return own.isEmpty() ? frame : String.join(" called from ", own);
        }
    }

    private int threads() {
        return waiters + (owner == null ? 0 : 1);
    }

    /// Empty if no thread waits for a lock.
    static Optional<LockDump> of(String text) {
        List<Block> threads = blocks(text);
        Map<String, Integer> waiters = new HashMap<>();
        threads.stream()
                .map(thread -> thread.wants)
                .filter(lock -> lock != null)
                .forEach(lock -> waiters.merge(lock, 1, Integer::sum));
        return waiters.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most -> of(most.getKey(), most.getValue(), threads));
    }

    private static LockDump of(String lock, int waiters, List<Block> threads) {
        Block waiter =
                threads.stream()
                        .filter(thread -> lock.equals(thread.wants))
                        .findFirst()
                        .orElseThrow();
        Block owner =
                threads.stream()
                        .filter(thread -> thread.owns.contains(lock) && !lock.equals(thread.wants))
                        .findFirst()
                        .orElse(null);
        return new LockDump(
                String.valueOf(waiter.type),
                waiters,
                waiter.place(),
                owner == null ? null : printable(owner.name),
                owner == null ? null : owner.place());
    }

    private static List<Block> blocks(String text) {
        List<Block> blocks = new ArrayList<>();
        for (String line : text.lines().toList()) {
            Matcher name = NAME.matcher(line);
            if (name.matches()) {
                blocks.add(new Block(name.group(1)));
            } else if (!blocks.isEmpty()) {
                blocks.getLast().add(line);
            }
        }
        return blocks;
    }

    /// A program may give its threads any name.
    private static String printable(String name) {
        String clean = name.replaceAll("[^\\x20-\\x7e]", "?");
        return clean.length() <= NAME_MAX ? clean : clean.substring(0, NAME_MAX);
    }

    /// Such as `java.lang.Object, wanted in Store.read(Store.java:20), held by handler-3 in …`.
    String describe() {
        String wanted = wantedAt == null ? type : type + ", wanted in " + wantedAt;
        if (owner == null) {
            return wanted;
        }
        return wanted + ", held by " + owner + (ownedAt == null ? "" : " in " + ownedAt);
    }
}
