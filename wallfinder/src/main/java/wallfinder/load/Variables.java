package wallfinder.load;

import java.util.concurrent.atomic.AtomicLong;

/// The variables of all threads, and of all loads on the same service one after the other: no
/// number is counted twice, no thread repeats another one's random numbers. A run that is repeated
/// gets the same ones again.
public final class Variables {
    private final AtomicLong counted = new AtomicLong();
    private final AtomicLong seeds = new AtomicLong();

    /// From 1 on.
    long count() {
        return counted.incrementAndGet();
    }

    long seed() {
        return seeds.incrementAndGet() * SplitMix64.GOLDEN;
    }
}
