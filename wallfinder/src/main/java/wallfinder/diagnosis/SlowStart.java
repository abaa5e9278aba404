package wallfinder.diagnosis;

import java.util.List;
import java.util.Optional;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// Only the first seconds of the load were slow. A service that loads its classes, compiles its
/// code or fills its caches is cold, and nothing stops it.
///
/// @param seconds the slow ones
/// @param micros the mean response time of the slowest one
/// @param laterMicros the mean response time of the median second
record SlowStart(int seconds, double micros, double laterMicros) {
    /// A service that is slow for longer may become slow again.
    private static final double SHARE_MAX = 0.5;

    static Optional<SlowStart> of(Observation observation, Symptoms symptoms) {
        return symptoms.errorsBegin()
                        || symptoms.leavesUnanswered()
                        || !(observation.load() instanceof LoadOutcome.Requests)
                ? Optional.empty()
                : HarmTiming.Seconds.of(observation)
                        .flatMap(SlowStart::of)
                        .filter(start -> !symptoms.bends(start.laterMicros * 1e3));
    }

    private static Optional<SlowStart> of(HarmTiming.Seconds seconds) {
        List<Double> means = seconds.means();
        double slow = HarmTiming.SLOW_RATIO * seconds.usual();
        double slowest = 0;
        int first = 0;
        while (first < means.size() && (means.get(first) == 0 || means.get(first) >= slow)) {
            slowest = Math.max(slowest, means.get(first));
            first++;
        }
        boolean only = means.subList(first, means.size()).stream().noneMatch(mean -> mean >= slow);
        return only && slowest > 0 && first <= SHARE_MAX * means.size()
                ? Optional.of(new SlowStart(first, slowest, seconds.usual()))
                : Optional.empty();
    }

    Caveat caveat() {
        return Doubt.SLOW_START.caveat(
                seconds == 1 ? "second was" : seconds + " seconds were",
                EvidenceFigures.millis(micros * 1e3),
                EvidenceFigures.millis(laterMicros * 1e3));
    }
}
