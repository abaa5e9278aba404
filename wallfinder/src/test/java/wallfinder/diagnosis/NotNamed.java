package wallfinder.diagnosis;

import wallfinder.experiment.WallId;

/// Why a diagnosis does not name a wall.
final class NotNamed {
    private NotNamed() {}

    static Judgement.NotBinding of(Diagnosis diagnosis, WallId wall) {
        return diagnosis.ruledOut().stream()
                .filter(one -> one.wall().id() == wall)
                .findFirst()
                .orElseThrow();
    }

    static String because(Diagnosis diagnosis, WallId wall) {
        return of(diagnosis, wall).because();
    }
}
