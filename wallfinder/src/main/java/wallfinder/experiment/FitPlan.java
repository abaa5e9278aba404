package wallfinder.experiment;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What `fit` is asked to find: the smallest memory limit of one service.
///
/// @param text the experiment as it was written
/// @param service the one whose memory is searched
/// @param stepBytes by how much limits differ that are told apart
/// @param cold what is copied to be read anew from the disk, as the service's command or
///   environment writes it; its JVM always is
/// @param searchesCold whether the smallest limit with nothing of it in the page cache is asked for
/// @param repeat how often two candidates are compared
/// @param candidates the first one is what the others are held against
/// @param turn the candidate from which on what memory depends on is turned, or null
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
    /// @param experiment with a memory limit of the service that is generous
    /// @param jvms versions and folders of all JVMs that it needs
    public record Candidate(String name, Experiment experiment, Set<String> jvms) {}
}
