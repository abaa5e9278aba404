package wallfinder.load;

/// The mixing step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
final class SplitMix64 {
    /// 2^64 divided by the golden ratio: its multiples are spread evenly.
    static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private SplitMix64() {}

    /// A bijection in which all bits of the result depend on all bits of the argument.
    static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
