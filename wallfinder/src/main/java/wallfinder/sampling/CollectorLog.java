package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Sums what a collector's log says: the waits of threads for memory, and the pauses.
final class CollectorLog {
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;

    /// Example of ZGC: `[5762384867ns] Allocation Stall (worker-1) 26.775ms`. The line is written
    /// when the wait ends.
    private static final Pattern STALL =
            Pattern.compile(
                    "^\\[(\\d{1,18})ns] Allocation Stall \\(.*\\) (\\d{1,15}(?:\\.\\d{1,9})?)ms$");

    /// Example of Shenandoah: `[576238ns] GC(7) Pause Init Mark 0.126ms`.
    private static final Pattern PAUSE =
            Pattern.compile(
                    "^\\[\\d+ns] GC\\(\\d+\\) Pause (\\w+).* (\\d{1,15}(?:\\.\\d{1,9})?)ms$");

    private static final String FULL = "Full";

    private Stalls stalls = new Stalls(0, 0, 0, 0);
    private Pauses pauses = new Pauses(0, 0, 0);
    private Pauses fullPauses = pauses;
    private double coveredUntil;

    /// @param threadSeconds the waits, summed over all threads
    /// @param seconds the time in which at least one thread waited. A thread that began to wait
    ///   before an earlier call of [#add] and ended after it counts from the last end before.
    record Stalls(long count, double threadSeconds, double seconds, double longestSeconds) {}

    record Pauses(long count, double seconds, double longestSeconds) {
        Pauses and(double one) {
            return new Pauses(count + 1, seconds + one, Math.max(longestSeconds, one));
        }
    }

    /// All lines so far.
    record Sums(Stalls stalls, Pauses pauses, Pauses fullPauses) {}

    private record Stall(double from, double to) {
        double seconds() {
            return to - from;
        }
    }

    Sums sums() {
        return new Sums(stalls, pauses, fullPauses);
    }

    /// Adds complete lines.
    void add(List<String> lines) {
        List<Stall> ended = new ArrayList<>();
        for (String line : lines) {
            Matcher stall = STALL.matcher(line);
            Matcher pause = PAUSE.matcher(line);
            if (stall.matches()) {
                double end = Long.parseLong(stall.group(1)) / NANOS;
                ended.add(new Stall(end - Double.parseDouble(stall.group(2)) / MILLIS, end));
            } else if (pause.matches()) {
                double seconds = Double.parseDouble(pause.group(2)) / MILLIS;
                pauses = pauses.and(seconds);
                fullPauses = pause.group(1).equals(FULL) ? fullPauses.and(seconds) : fullPauses;
            }
        }
        // The lines are in the order of the ends.
        ended.sort(Comparator.comparingDouble(Stall::from));
        ended.forEach(this::add);
    }

    private void add(Stall one) {
        double covers = Math.max(0, one.to - Math.max(coveredUntil, one.from));
        coveredUntil = Math.max(coveredUntil, one.to);
        stalls =
                new Stalls(
                        stalls.count + 1,
                        stalls.threadSeconds + one.seconds(),
                        stalls.seconds + covers,
                        Math.max(stalls.longestSeconds, one.seconds()));
    }
}
