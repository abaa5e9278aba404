package wallfinder.experiment;

/// An error in the user's input, exit code 2, in three parts: what failed, why, and what to do.
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String why;
    private final String todo;

    /// The first two parts have no full stop.
    public UsageException(String what, String why, String todo) {
        super(what + ": " + why);
        this.what = what;
        this.why = why;
        this.todo = todo;
    }

    public String what() {
        return what;
    }

    public String why() {
        return why;
    }

    /// The same error as the reason of a larger failure.
    ///
    /// @param larger what failed, such as the place in a file
    public UsageException within(String larger) {
        return new UsageException(larger, String.valueOf(getMessage()), todo);
    }

    public String todo() {
        return todo;
    }
}
