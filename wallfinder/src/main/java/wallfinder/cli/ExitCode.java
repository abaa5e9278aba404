package wallfinder.cli;

/// The exit codes that docs/results.md documents.
final class ExitCode {
    static final int DONE = 0;
    static final int OBJECTIVE_MISSED = 1;
    static final int USAGE = 2;
    static final int ENVIRONMENT = 3;
    static final int INVALID = 4;
    static final int INTERRUPTED = 130;

    private ExitCode() {}
}
