package wallfinder.experiment;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// What `fit` searches: the smallest memory limit of one service.
///
/// @param text the text of the experiment file
/// @param stepBytes the distance between two limits
/// @param cold files that are copied, so that they are read from the disk again, as the service's
///   command or environment writes them; the JVM is always copied
/// @param searchesCold whether to search the smallest limit with these files not in the page cache
/// @param repeat how often two candidates are compared
/// @param candidates the others are compared with the first one
/// @param turn the candidate with which turning starts, or null
public record FitPlan(
        String name,
        String text,
        String service,
        long stepBytes,
        boolean searchesCold,
        List<String> cold,
        int repeat,
        List<Candidate> candidates,
        @Nullable String turn) {

    /// One way to start the service.
    ///
    /// @param experiment with a generous memory limit of the service
    /// @param jvms versions and folders of all JVMs that it needs
    public record Candidate(String name, Experiment experiment, Set<String> jvms) {}

    /// The same plan with changed experiments.
    public FitPlan each(UnaryOperator<Experiment> change) {
        return new FitPlan(
                name,
                text,
                service,
                stepBytes,
                searchesCold,
                cold,
                repeat,
                candidates.stream()
                        .map(one ->
                                new Candidate(
                                        one.name(), change.apply(one.experiment()), one.jvms()))
                        .toList(),
                turn);
    }
}
