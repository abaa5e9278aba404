package wallfinder.services.webflux;

/// The options are valid, but this host does not support them.
final class CannotStart extends RuntimeException {
    private static final long serialVersionUID = 1;

    CannotStart(String why) {
        super(why);
    }
}
