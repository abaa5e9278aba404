package wallfinder.diagnosis;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.WallId;
import wallfinder.observation.Observation;

/// The judgements of all walls on one observation. Each wall judges once, before the first wall
/// that depends on it.
final class Judgements {
    private final Observation observation;
    private final Symptoms symptoms;
    private final Map<WallId, Judgement> made = new EnumMap<>(WallId.class);

    Judgements(Observation observation, Symptoms symptoms) {
        this.observation = observation;
        this.symptoms = symptoms;
    }

    Judgement of(WallId id) {
        Judgement known = made.get(id);
        if (known == null) {
            known = Walls.of(id).judge(observation, symptoms, this);
            made.put(id, known);
        }
        return known;
    }

    /// The reason given by the first row of [Walls#CAUSES] that explains the signs of this wall, or
    /// null.
    @Nullable String cause(WallId effect) {
        return Walls.CAUSES.stream()
                .filter(row -> row.effect() == effect)
                .filter(row ->
                        of(row.cause()) instanceof Judgement.Binds binds && row.when().test(binds))
                .map(Walls.Cause::because)
                .findFirst()
                .orElse(null);
    }
}
