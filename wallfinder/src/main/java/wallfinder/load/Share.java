package wallfinder.load;

/// The part of a load that one of several processes, or of the threads of one, drives. All parts
/// together make the whole: each request, each number of a counter and each due time belongs to
/// exactly one of them.
///
/// @param place from 0
/// @param count how many drive
public record Share(int place, int count) {
    public static final Share WHOLE = new Share(0, 1);

    public Share {
        if (place < 0 || place >= count) {
            throw new IllegalArgumentException("part %d of %d".formatted(place, count));
        }
    }

    /// This part of things that can only be divided in wholes. The first parts get the rest.
    public long of(long all) {
        return all / count + (place < all % count ? 1 : 0);
    }

    /// How many of them the parts before this one have.
    public long before(long all) {
        return place * (all / count) + Math.min(place, all % count);
    }

    /// The number of a thread of this process among the threads of all processes.
    int thread(int own) {
        return own * count + place;
    }

    /// How many threads there are if each process has as many as this one.
    int threads(int own) {
        return own * count;
    }
}
