package wallfinder.sampling;

import java.util.Collection;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a JVM holds, garbage apart. It is asked for by attach, which takes some of its memory and
/// stops it for a collection. `NaN` where the JVM does not tell.
///
/// @param classes that are loaded
/// @param liveBytes of the heap, after a collection of all of it
/// @param loadedBytes the same while it worked, if it was asked then, too
/// @param codeBytes that are compiled
/// @param directBytes of buffers outside of the heap, if it tracks its native memory
/// @param heapMaxBytes what the heap may grow to
public record JvmCensus(
        double classes,
        double liveBytes,
        double loadedBytes,
        double codeBytes,
        double directBytes,
        double heapMaxBytes) {
    /// `CodeHeap 'profiled nmethods': size=120032Kb used=5432Kb max_used=5500Kb free=114600Kb`, or
    /// one line for all of it.
    private static final Pattern CODE_HEAP = Pattern.compile("CodeHeap [^\\n]*\\bused=(\\d+)Kb");

    private static final Pattern CODE_CACHE = Pattern.compile("CodeCache: [^\\n]*\\bused=(\\d+)Kb");

    /// `- Other (reserved=1028KB, committed=1028KB)`
    private static final Pattern DIRECT =
            Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

    /// Of the first JVM among some processes; empty if there is none.
    public static Optional<JvmCensus> of(Collection<Long> pids) {
        return asked(pids, JvmCensus::of);
    }

    /// What lives in the heap of the first JVM, and no more.
    public static double liveBytes(Collection<Long> pids) {
        return asked(pids, JvmCensus::liveBytes).orElse(Double.NaN);
    }

    /// The same, with what lived in the heap while it worked.
    public JvmCensus withLoadedBytes(double bytes) {
        return new JvmCensus(classes, liveBytes, bytes, codeBytes, directBytes, heapMaxBytes);
    }

    /// The most that is known to have lived in the heap.
    public double mostLiveBytes() {
        return loadedBytes > liveBytes ? loadedBytes : liveBytes;
    }

    private static <T> Optional<T> asked(
            Collection<Long> pids, BiFunction<JvmFigures, AttachSocket, T> question) {
        for (long pid : pids) {
            JvmFigures figures = new JvmFigures((int) pid);
            try (AttachSocket socket = new AttachSocket((int) pid)) {
                figures.scan();
                if (figures.threads().isJvm()) {
                    return Optional.of(question.apply(figures, socket));
                }
            } finally {
                figures.close();
            }
        }
        return Optional.empty();
    }

    private static double liveBytes(JvmFigures figures, AttachSocket socket) {
        boolean collected = socket.jcmd("GC.run") != null;
        figures.read();
        return collected ? figures.heapUsedBytes() : Double.NaN;
    }

    private static JvmCensus of(JvmFigures figures, AttachSocket socket) {
        double live = liveBytes(figures, socket);
        return new JvmCensus(
                figures.classes(),
                live,
                Double.NaN,
                code(socket.jcmd("Compiler.codecache")),
                kilobytes(DIRECT, socket.jcmd("VM.native_memory summary")),
                figures.heapMaxBytes());
    }

    private static double code(@Nullable String answer) {
        double heaps = kilobytes(CODE_HEAP, answer);
        return Double.isNaN(heaps) ? kilobytes(CODE_CACHE, answer) : heaps;
    }

    /// The sum over all that match.
    private static double kilobytes(Pattern pattern, @Nullable String answer) {
        return answer == null
                ? Double.NaN
                : pattern.matcher(answer)
                        .results()
                        .map((MatchResult found) -> 1024.0 * Long.parseLong(found.group(1)))
                        .reduce(Double::sum)
                        .orElse(Double.NaN);
    }
}
