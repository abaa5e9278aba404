package wallfinder.diagnosis;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.Key;

/// One figure that speaks for a wall.
///
/// @param counter what was read or derived
/// @param basis what `before` and `after` are: readings of that counter, or something else
/// @param before its value when the measurement began, or null where only one value makes sense
/// @param after its value at the end, or the largest or derived one
/// @param limit what it may not pass, or null
/// @param source where anyone can read it; of a derived figure, how it was derived
/// @param says the same as a sentence
public record Evidence(
        Key counter,
        End end,
        Basis basis,
        @Nullable Double before,
        @Nullable Double after,
        @Nullable Double limit,
        String source,
        String says) {
    /// Its name in `run.json`.
    public String name() {
        return counter.text();
    }

    /// Whose figure it is, such as the service; empty if it is another figure.
    Optional<String> subject(Figure figure) {
        return counter instanceof Key.Of of && of.figure() == figure
                ? Optional.of(of.subject())
                : Optional.empty();
    }
}
