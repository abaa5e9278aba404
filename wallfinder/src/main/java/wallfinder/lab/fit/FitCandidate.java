package wallfinder.lab.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;

/// The state of one candidate.
final class FitCandidate {
    final String name;

    /// The first part of its trials' names.
    final String label;

    /// The versions and folders of all JVMs that it needs.
    final Set<String> jvms;

    final List<FitTrial> trials = new ArrayList<>();

    /// The experiment after the calibration, with the profile for the start script.
    Experiment experiment;

    @Nullable FitTrial calibration;
    @Nullable String profile;
    @Nullable FitSearch warm;
    @Nullable FitSearch cold;
    @Nullable String problem;
    long predictedBytes;

    /// Whether an error other than a limit ended its trials.
    boolean failed;

    FitCandidate(String name, Experiment experiment, Set<String> jvms) {
        this.name = name;
        this.label = name.replaceAll("[^A-Za-z0-9._-]+", "_");
        this.experiment = experiment;
        this.jvms = jvms;
    }

    /// Whether a smallest limit was found.
    boolean hasLimit() {
        return warm != null && warm.smallest() > 0;
    }
}
