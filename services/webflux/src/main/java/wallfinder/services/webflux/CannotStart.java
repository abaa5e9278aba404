package wallfinder.services.webflux;

/// What was asked for is right, and this host does not have it.
final class CannotStart extends RuntimeException {
    private static final long serialVersionUID = 1;

    CannotStart(String why) {
        super(why);
    }
}
