package wallfinder.experiment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// All that one run is asked to do.
///
/// @param services in the order they are started
/// @param tries names of settings that `find` also tests and reports, whatever was named
/// @param repeat pairs for each verification
/// @param text the experiment as it was written, kept with the run
public record Experiment(
        String name,
        List<ServiceSpec> services,
        SandboxSpec sandbox,
        LoadSpec load,
        List<String> tries,
        int repeat,
        @Nullable Objective objective,
        String text) {}
