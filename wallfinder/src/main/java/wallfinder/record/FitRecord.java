package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.WallId;

/// What `fit` found: the smallest memory limits of a service.
///
/// @param service the service whose memory limit was searched
/// @param candidates in the order of the experiment; the others are compared with the first
/// @param headline the least memory at equal throughput, or null if nothing could be compared
/// @param turning the search over single settings, or null if it was not requested
public record FitRecord(
        String service,
        long stepBytes,
        List<Candidate> candidates,
        List<LimitTrial> tries,
        @Nullable Headline headline,
        @Nullable Turning turning) {

    /// One way to start the service.
    ///
    /// @param calibration null if there was no calibration
    /// @param warm the limit with all files in the page cache; null if it was not searched
    /// @param cold the limit without the service's files in the page cache; null if it was not
    ///   searched
    /// @param problem why there is no limit, or null
    public record Candidate(
            String name,
            @Nullable Calibration calibration,
            @Nullable Limit warm,
            @Nullable Limit cold,
            @Nullable String problem) {}

    /// A run with a generous limit. Unknown figures are `NaN`.
    ///
    /// @param anonymousBytes anonymous and shared memory, when its sum with kernel memory was
    ///   largest
    /// @param predictedBytes the limit at which the search began
    /// @param jvm null if the service is not a JVM
    public record Calibration(
            long limitBytes,
            double perSecond,
            double startSeconds,
            double anonymousBytes,
            double kernelBytes,
            long predictedBytes,
            double threads,
            @Nullable Jvm jvm) {}

    /// The memory of a JVM in the calibration. Unknown figures are `NaN`.
    ///
    /// @param liveBytes of the heap after a full collection
    /// @param directBytes of buffers outside the heap
    /// @param profile the name of the start script's profile in the run's folder
    public record Jvm(
            double classes,
            double liveBytes,
            double loadedBytes,
            double codeBytes,
            double directBytes,
            double heapMaxBytes,
            String profile) {}

    /// The smallest limit at which the service is OK.
    ///
    /// @param bytes 0 if none was found
    /// @param below the number of trials one step below
    /// @param knockOuts the failed trials among these
    /// @param because one of these knock-outs, or null
    /// @param verified whether there were three passes and three knock-outs
    /// @param perSecond the median of the passes, like the next two; `NaN` if unknown
    public record Limit(
            long bytes,
            int passes,
            int below,
            int knockOuts,
            @Nullable KnockOut because,
            boolean verified,
            double perSecond,
            double p99Nanos,
            double startSeconds) {
        public boolean found() {
            return bytes > 0;
        }
    }

    /// Why a limit is too small.
    ///
    /// @param evidence one sentence each
    public record KnockOut(Kind kind, List<String> evidence) {
        /// Walls of memory, and other signs that a limit is too small.
        public enum Kind {
            MEMORY_LIMIT(WallId.MEMORY_LIMIT.word()),
            HEAP(WallId.HEAP.word()),
            GC(WallId.GC.word()),
            PAGE_CACHE(WallId.PAGE_CACHE.word()),
            /// The service was not ready in time.
            NOT_READY("not-ready"),
            /// The service ended for another reason.
            ENDED("ended"),
            /// The objective was missed for another reason.
            OBJECTIVE("objective");

            private final String word;

            Kind(String word) {
                this.word = word;
            }

            public String word() {
                return word;
            }
        }
    }

    /// One trial.
    ///
    /// @param trial its name; the run has no trial of a service that was not ready
    /// @param knockOut null if it passed
    /// @param discarded why it does not count, or null
    public record LimitTrial(
            String candidate,
            String trial,
            long limitBytes,
            boolean cold,
            @Nullable KnockOut knockOut,
            @Nullable String discarded) {}

    /// A search that turns one setting after another, each at the same limit.
    ///
    /// @param candidate the resulting candidate, or null if no setting gained
    /// @param limitBytes the smallest limit of `from`
    public record Turning(
            String from, @Nullable String candidate, long limitBytes, List<Turn> turns) {
        /// The settings that were kept; the last value of each.
        public List<String> kept() {
            Map<String, String> kept = new LinkedHashMap<>();
            turns.stream().filter(Turn::kept).forEach(turn -> kept.put(turn.what, turn.set));
            return List.copyOf(kept.values());
        }
    }

    /// One setting that was turned. Memory is what the kernel cannot reclaim; figures are medians.
    ///
    /// @param set the option or the knob with its value
    /// @param beforeBytes memory with all settings that were kept before
    /// @param bytes memory with it; `NaN` if the trials failed
    /// @param perSecondBefore `NaN` if the load does not report it
    /// @param kept whether it gains: each of its trials needs less than every trial before
    /// @param dropped why not, or null
    public record Turn(
            String what,
            String set,
            double beforeBytes,
            double bytes,
            double perSecondBefore,
            double perSecond,
            boolean kept,
            @Nullable String dropped) {}

    /// The smallest limit at which a candidate is as fast as the first one is at its smallest
    /// limit.
    ///
    /// @param candidate its name; the first one if no other needs less
    /// @param firstBytes the smallest limit of the first candidate
    /// @param throughput compared with the first one; null if it is the first one
    public record Headline(
            String candidate, long bytes, long firstBytes, @Nullable RatioInterval throughput) {}
}
