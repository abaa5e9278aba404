package wallfinder.report;

import java.util.List;

/// One result of a run for a CI server.
///
/// @param message why it is not passed, or what was found
/// @param lines the figures and the evidence
record Check(String name, State state, String message, double seconds, List<String> lines) {
    enum State {
        PASSED,
        /// An objective was missed.
        MISSED,
        /// Nothing is known: the generator was the limit, or the run did not end in order.
        INVALID,
        /// It decides nothing here.
        SKIPPED
    }

    Check {
        lines = List.copyOf(lines);
    }
}
