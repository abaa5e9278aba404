package wallfinder.sampling;

import java.util.Collection;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a JVM keeps in memory, without garbage. Comes from the JVM itself by attach, which uses
/// some of its memory and stops it for a collection. `NaN` if the JVM does not report a figure.
///
/// @param classes the number of loaded classes
/// @param liveBytes live bytes in the heap, after a full collection
/// @param loadedBytes live bytes while the JVM worked, if it was asked then
/// @param codeBytes compiled code
/// @param directBytes buffers outside the heap, if the JVM tracks its native memory
/// @param heapMaxBytes the maximum size of the heap
public record JvmCensus(
        double classes,
        double liveBytes,
        double loadedBytes,
        double codeBytes,
        double directBytes,
        double heapMaxBytes) {
    /// Example: `CodeHeap 'profiled nmethods': size=120032Kb used=5432Kb max_used=5500Kb
    /// free=114600Kb`. A JVM with one code heap prints `CodeCache` instead.
    private static final Pattern CODE_HEAP = Pattern.compile("CodeHeap [^\\n]*\\bused=(\\d+)Kb");

    private static final Pattern CODE_CACHE = Pattern.compile("CodeCache: [^\\n]*\\bused=(\\d+)Kb");

    /// Example: `- Other (reserved=1028KB, committed=1028KB)`.
    private static final Pattern DIRECT =
            Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

    /// Example: `ZHeap used 30M, capacity 200M, max capacity 200M`.
    private static final Pattern Z_HEAP = Pattern.compile("ZHeap +used (\\d+)M");

    /// Asks the busiest JVM among some processes; empty if there is no JVM.
    public static Optional<JvmCensus> of(Collection<Long> pids) {
        return ofBusiestJvm(pids, JvmCensus::of);
    }

    /// Asks the busiest JVM only for the live bytes in its heap.
    public static double liveBytes(Collection<Long> pids) {
        return ofBusiestJvm(pids, JvmCensus::liveBytes).orElse(Double.NaN);
    }

    /// This census with the live bytes while the JVM worked.
    public JvmCensus withLoadedBytes(double bytes) {
        return new JvmCensus(classes, liveBytes, bytes, codeBytes, directBytes, heapMaxBytes);
    }

    /// The most live bytes that were seen in the heap.
    public double mostLiveBytes() {
        return loadedBytes > liveBytes ? loadedBytes : liveBytes;
    }

    /// The answer of the JVM whose collectors used most CPU time, among some processes; empty if
    /// there is no JVM. A launcher may be a JVM, too.
    static <T> Optional<T> ofBusiestJvm(
            Collection<Long> pids, BiFunction<JvmFigures, AttachSocket, T> question) {
        long busiest = 0;
        double most = Double.NEGATIVE_INFINITY;
        for (long pid : pids) {
            try (JvmFigures figures = new JvmFigures((int) pid)) {
                figures.scan();
                figures.read();
                double seconds = figures.threads().collectorSeconds();
                if (seconds > most) { // not `NaN`, as of a process that is no JVM
                    busiest = pid;
                    most = seconds;
                }
            }
        }
        if (busiest == 0) {
            return Optional.empty();
        }
        try (JvmFigures figures = new JvmFigures((int) busiest);
                AttachSocket socket = new AttachSocket((int) busiest)) {
            figures.scan();
            return figures.threads().isJvm()
                    ? Optional.of(question.apply(figures, socket))
                    : Optional.empty();
        }
    }

    private static double liveBytes(JvmFigures figures, AttachSocket socket) {
        figures.read();
        if (socket.jcmd("GC.run") == null) {
            return Double.NaN;
        }
        String heap = socket.jcmd("GC.heap_info");
        if (heap == null || heap.contains("ZHeap")) {
            // ZGC updates the figures in a pause, and frees memory after it.
            return bytes(Z_HEAP, 1 << 20, heap);
        }
        figures.read();
        return figures.heapUsedBytes();
    }

    private static JvmCensus of(JvmFigures figures, AttachSocket socket) {
        double live = liveBytes(figures, socket);
        return new JvmCensus(
                figures.classes(),
                live,
                Double.NaN,
                code(socket.jcmd("Compiler.codecache")),
                bytes(DIRECT, 1 << 10, socket.jcmd("VM.native_memory summary")),
                figures.heapMaxBytes());
    }

    private static double code(@Nullable String answer) {
        double heaps = bytes(CODE_HEAP, 1 << 10, answer);
        return Double.isNaN(heaps) ? bytes(CODE_CACHE, 1 << 10, answer) : heaps;
    }

    /// The sum of the numbers in an answer.
    private static double bytes(Pattern pattern, double unit, @Nullable String answer) {
        return answer == null
                ? Double.NaN
                : pattern.matcher(answer)
                        .results()
                        .map((MatchResult found) -> unit * Long.parseLong(found.group(1)))
                        .reduce(Double::sum)
                        .orElse(Double.NaN);
    }
}
