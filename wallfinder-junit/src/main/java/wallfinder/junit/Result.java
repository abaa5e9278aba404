package wallfinder.junit;

import org.jspecify.annotations.Nullable;

/// What one run found.
public sealed interface Result permits LoadResult, FindResult, CapacityResult {
    Run run();

    /// The trial that this result is about: of a load the only one, of `find` the one at the first
    /// wall, of `capacity` the one at the wall directly above.
    Trial trial();

    /// The rates that were found, in one line.
    String figures();

    default Verdict verdict() {
        return trial().diagnosis().verdict();
    }

    /// The wall; null if there is none.
    default @Nullable Wall wall() {
        return trial().diagnosis().wall();
    }

    /// What was found, in four lines: figures, wall, doubts, and the path of the report.
    default String summary() {
        String doubts = String.join(", ", trial().doubts().keySet());
        return "  measured:   %s%n  wall:       %s%n  doubts:     %s%n  report:     %s"
                .formatted(
                        figures(),
                        trial().diagnosis().text(),
                        doubts.isEmpty() ? "none" : doubts,
                        run().report());
    }
}
