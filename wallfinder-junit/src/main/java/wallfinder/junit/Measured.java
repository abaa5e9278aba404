package wallfinder.junit;

/// What was measured before a test failed. It is no failure itself: a suppressed exception is the
/// only place in the report of a failure that leaves the failure as it is.
final class Measured extends RuntimeException {
    private static final long serialVersionUID = 1;

    Measured(Result result) {
        super(result.run().command() + "\n" + result.summary(), null, false, false);
    }
}
