package wallfinder.diagnosis;

import java.util.List;
import wallfinder.observation.End;

/// What one wall has to say to an observation.
public sealed interface Judgement {
    Wall wall();

    /// It binds: its evidence moved, and the load was harmed by it.
    record Binds(Wall wall, End end, Harm harm, List<Evidence> evidence) implements Judgement {}

    /// Its evidence moved without harm.
    record Near(Wall wall, End end, List<Evidence> evidence, String because) implements Judgement {}

    /// It is not the wall.
    record Clear(Wall wall, String because) implements Judgement {}
}
