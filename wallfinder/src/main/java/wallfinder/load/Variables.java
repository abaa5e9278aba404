package wallfinder.load;

import java.util.concurrent.atomic.AtomicLong;

/// The variables of all threads and of successive loads on the same service: no number is counted
/// twice, and threads have different random numbers. A repeated run gets the same numbers again.
public final class Variables {
    private final AtomicLong counted = new AtomicLong();
    private final AtomicLong seeds = new AtomicLong();

    /// Begins with 1.
    long count() {
        return counted.incrementAndGet();
    }

    long seed() {
        return seeds.incrementAndGet() * SplitMix64.GOLDEN;
    }
}
