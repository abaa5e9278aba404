package wallfinder.diagnosis;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.Key;

/// One figure that supports a wall.
///
/// @param counter the name of the reading or of the derived figure
/// @param basis what `before` and `after` are: readings of that counter, or something else
/// @param before the value at the beginning, or null if one value is enough
/// @param after the value at the end, or the largest or derived value
/// @param limit the limit of the value, or null
/// @param source where anyone can read it, or how it was derived
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

    /// The subject of a figure, such as the service; empty if it is another figure.
    Optional<String> subject(Figure figure) {
        return counter instanceof Key.Of of && of.figure() == figure
                ? Optional.of(of.subject())
                : Optional.empty();
    }
}
