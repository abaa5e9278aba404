package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.WallId;

/// What `fit` found: the smallest memory limits of a service.
///
/// @param service the one whose memory was searched
/// @param stepBytes limits differ by this much
/// @param candidates in the order of the experiment; the first one is what others are held against
/// @param tries all that was tried, in the order of time
/// @param headline the least memory at equal throughput, or null if nothing could be compared
/// @param turning what was turned, or null if that was not asked for
public record FitRecord(
        String service,
        long stepBytes,
        List<Candidate> candidates,
        List<LimitTrial> tries,
        @Nullable Headline headline,
        @Nullable Turning turning) {

    /// One way to start the service.
    ///
    /// @param calibration null if it did not come to that
    /// @param warm with all files in the page cache; null if it was not searched
    /// @param cold with none of its own; null if it was not searched
    /// @param problem why there is no limit, or null
    public record Candidate(
            String name,
            @Nullable Calibration calibration,
            @Nullable Limit warm,
            @Nullable Limit cold,
            @Nullable String problem) {}

    /// A run with a generous limit. What is not known is `NaN`.
    ///
    /// @param anonymousBytes and kernel memory, at the moment when their sum was the largest
    /// @param predictedBytes the limit at which the search began
    /// @param threads the most there were
    /// @param jvm null if the service is none
    public record Calibration(
            long limitBytes,
            double perSecond,
            double startSeconds,
            double anonymousBytes,
            double kernelBytes,
            long predictedBytes,
            double threads,
            @Nullable Jvm jvm) {}

    /// What a JVM held in the calibration. What is not known is `NaN`.
    ///
    /// @param liveBytes of the heap, after a collection of all of it
    /// @param loadedBytes the same while the load ran
    /// @param directBytes of buffers outside of the heap
    /// @param profile the file that the start script reads, by its name in the run's folder
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
    /// @param passes how often it was OK there
    /// @param below how often it was tried one step below
    /// @param knockOuts how often of these it was not OK
    /// @param because one of them, or null if there was none
    /// @param verified whether there were three passes and three knock-outs
    /// @param perSecond the median of the passes; `NaN` if the load does not tell
    /// @param p99Nanos likewise
    /// @param startSeconds likewise
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
        /// Walls of memory, and what else shows that a limit is too small.
        public enum Kind {
            MEMORY_LIMIT(WallId.MEMORY_LIMIT.word()),
            HEAP(WallId.HEAP.word()),
            GC(WallId.GC.word()),
            PAGE_CACHE(WallId.PAGE_CACHE.word()),
            /// It did not get ready in time.
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
    /// @param trial its name; those whose service did not get ready are not among the run's trials
    /// @param knockOut null if it was OK
    /// @param discarded why it does not count, or null
    public record LimitTrial(
            String candidate,
            String trial,
            long limitBytes,
            boolean cold,
            @Nullable KnockOut knockOut,
            @Nullable String discarded) {}

    /// One thing after another that memory depends on, each at the same limit.
    ///
    /// @param from the candidate that it began with
    /// @param candidate what it came to, or null if nothing gained
    /// @param limitBytes the smallest limit of the one that it began with
    public record Turning(
            String from, @Nullable String candidate, long limitBytes, List<Turn> turns) {
        /// What was kept, as it is set: the last of what was turned more than once.
        public List<String> kept() {
            Map<String, String> kept = new LinkedHashMap<>();
            turns.stream().filter(Turn::kept).forEach(turn -> kept.put(turn.what, turn.set));
            return List.copyOf(kept.values());
        }
    }

    /// One thing that was turned. Memory is what cannot be given back; medians.
    ///
    /// @param set the option or the knob, as it is set
    /// @param beforeBytes with all that was kept before
    /// @param bytes `NaN` if it was not OK
    /// @param perSecondBefore `NaN` if the load does not tell
    /// @param perSecond likewise
    /// @param kept whether it gains: all of its trials needed less than any of those before
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

    /// The smallest limit at which a candidate is as fast as the first one at its smallest.
    ///
    /// @param candidate whose it is; the first one's name if no other needs less
    /// @param firstBytes the smallest limit of the first candidate
    /// @param throughput against the first one; null if it is the first one
    public record Headline(
            String candidate, long bytes, long firstBytes, @Nullable RatioInterval throughput) {}
}
