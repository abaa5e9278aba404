package wallfinder.lab.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;

/// What is known of one candidate so far.
final class FitCandidate {
    final String name;

    /// Its trials' names begin with it.
    final String label;

    /// Versions and folders of all JVMs that it needs.
    final Set<String> jvms;

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

    FitCandidate(String name, Experiment experiment, Set<String> jvms) {
        this.name = name;
        this.label = name.replaceAll("[^A-Za-z0-9._-]+", "_");
        this.experiment = experiment;
        this.jvms = jvms;
    }
}
