package wallfinder.lab.find;

import wallfinder.lab.session.Progress;
import wallfinder.live.Planned;
import wallfinder.live.Step;

/// Shows the pairs of a comparison. Its time is an estimate from the pairs so far. Pairs end as
/// soon as their interval decides, so they may end earlier.
record ShownPairs(String text, int pairs, long startNanos, Progress progress) {
    static ShownPairs begin(String text, int pairs, Progress progress) {
        return new ShownPairs(text, pairs, System.nanoTime(), progress);
    }

    /// @param done the pairs that count
    void show(int done) {
        long now = System.nanoTime();
        double perPair = done == 0 ? 0 : (now - startNanos) / 1e9 / done;
        Planned time =
                done == 0
                        ? Planned.unknown(startNanos)
                        : Planned.estimated(
                                startNanos,
                                now,
                                perPair * (pairs - done),
                                Planned.Bound.UP_TO_ABOUT);
        String pair = ": pair %d of at most %d".formatted(Math.min(done + 1, pairs), pairs);
        progress.step(new Step(text + pair, time));
    }
}
