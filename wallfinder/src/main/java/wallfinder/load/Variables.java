package wallfinder.load;

import java.util.concurrent.atomic.AtomicLong;

/// The variables of all threads and of successive loads on the same service: no number is counted
/// twice, and threads have different random numbers. A repeated run gets the same numbers again.
public final class Variables {
    private final AtomicLong counted = new AtomicLong();
    private final AtomicLong seeds = new AtomicLong();
    private final Share share;

    public Variables() {
        this(Share.WHOLE);
    }

    /// Those of one of several processes, which together count without a gap.
    public Variables(Share share) {
        this.share = share;
    }

    /// Begins with 1 in a whole load.
    long count() {
        return next(counted);
    }

    /// Begins a sequence that moves by [SplitMix64#GOLDEN]. The mixing puts sequences far apart:
    /// multiples of that constant would give each thread the numbers of the last one, one turn
    /// later.
    long seed() {
        return SplitMix64.mix(next(seeds));
    }

    private long next(AtomicLong taken) {
        return taken.getAndIncrement() * share.count() + share.place() + 1;
    }
}
