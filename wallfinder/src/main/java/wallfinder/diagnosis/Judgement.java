package wallfinder.diagnosis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;

/// What one wall has to say to an observation.
public sealed interface Judgement {
    Wall wall();

    /// It binds: its evidence moved, and the load was harmed by it.
    ///
    /// @param harm null where no client was seen: then it stopped the service most of the time
    record Binds(Wall wall, End end, @Nullable Harm harm, List<Evidence> evidence)
            implements Judgement {}

    /// Its evidence moved without harm.
    record Near(Wall wall, End end, List<Evidence> evidence, String because) implements Judgement {}

    /// It is not the wall.
    record Clear(Wall wall, String because) implements Judgement {}
}
