package wallfinder.diagnosis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;

/// How one wall judges an observation.
public sealed interface Judgement {
    Wall wall();

    /// The wall's evidence moved, and it harmed the load.
    ///
    /// @param harm null if no client was seen; the wall then stopped the service for most of the
    ///   time
    record Binds(Wall wall, End end, @Nullable Harm harm, List<Evidence> evidence)
            implements Judgement {}

    /// The wall is not named.
    sealed interface NotBinding extends Judgement {
        String because();
    }

    /// The wall's evidence moved without harm.
    record Near(Wall wall, End end, List<Evidence> evidence, String because)
            implements NotBinding {}

    /// A reading rules the wall out.
    record Clear(Wall wall, String because) implements NotBinding {}

    /// The wall can be neither named nor ruled out.
    record Unknown(Wall wall, Missing missing, String because) implements NotBinding {
        Unknown(Wall wall, Missing missing) {
            this(wall, missing, "unknown: " + missing.reason());
        }
    }
}
