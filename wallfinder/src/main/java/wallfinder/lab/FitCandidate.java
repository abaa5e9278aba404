package wallfinder.lab;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;

/// What is known of one candidate so far.
final class FitCandidate {
    final String name;

    /// Its trials' names begin with it.
    final String label;

    final List<FitTrial> trials = new ArrayList<>();

    /// With what the calibration found, for who reads it at the start.
    Experiment experiment;

    @Nullable FitTrial calibration;
    @Nullable String profile;
    @Nullable FitSearch warm;
    @Nullable FitSearch cold;
    @Nullable String problem;
    long predictedBytes;

    /// Whether something else than a limit ended its measuring.
    boolean failed;

    FitCandidate(String name, Experiment experiment) {
        this.name = name;
        this.label = name.replaceAll("[^A-Za-z0-9._-]+", "_");
        this.experiment = experiment;
    }
}
