package wallfinder.sampling;

import java.nio.file.Path;
import java.util.Map;
import wallfinder.profiling.KnownCosts;

/// A program for a JVM that says that it has started, and waits for a line.
final class WaitingProgram {
    static final String NAME = "Waiting";

    static final String TEXT =
            """
            class Waiting {
                public static void main(String[] arguments) throws Exception {
                    System.out.println("started");
                    System.in.read();
                }
            }
            """;

    private WaitingProgram() {}

    /// @param release the oldest Java that runs it
    static void compile(int release, Path classes) {
        KnownCosts.compile(release, classes, Map.of(NAME, TEXT));
    }
}
