package wallfinder.experiment;

/// What the user asked for cannot be done as it was asked: exit code 2. Told in three parts: what
/// failed, why, and what to do.
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String why;
    private final String todo;

    /// @param what what failed, a sentence without its full stop
    /// @param why the reason, a sentence without its full stop
    /// @param todo what the user can do about it
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

    /// The same complaint, as the reason why something larger failed.
    ///
    /// @param larger what failed, such as the place in a file
    public UsageException within(String larger) {
        return new UsageException(larger, String.valueOf(getMessage()), todo);
    }

    public String todo() {
        return todo;
    }
}
