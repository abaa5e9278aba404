package wallfinder.lab.capacity;

import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.trial.Generator;

/// Trials on a running service, which stays the same, with a generator that stays, too.
record GeneratedTrials(Generator generator, LoadSpec.Http http, Objective objective)
        implements CapacityTrials {
    @Override
    public Place open(String name) {
        return new WarmPlace(generator, http, objective, () -> {}, "");
    }

    @Override
    public boolean fresh() {
        return false;
    }
}
