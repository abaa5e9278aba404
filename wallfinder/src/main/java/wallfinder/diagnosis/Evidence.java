package wallfinder.diagnosis;

import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;

/// One figure that speaks for a wall.
///
/// @param counter what was read, by its name in [wallfinder.observation.Names] or the kernel's own
/// @param basis what `before` and `after` are: readings of that counter, or something else
/// @param before its value when the measurement began, or null where only one value makes sense
/// @param after its value at the end, or the largest or derived one
/// @param limit what it may not pass, or null
/// @param source where anyone can read it; of a derived figure, how it was derived
/// @param says the same as a sentence
public record Evidence(
        String counter,
        End end,
        Basis basis,
        @Nullable Double before,
        @Nullable Double after,
        @Nullable Double limit,
        String source,
        String says) {}
