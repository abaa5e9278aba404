package wallfinder.linux;

/// The host does not allow or provide what Wallfinder needs: exit code 3. The message has three
/// parts: what failed, why, and what to do.
public class EnvironmentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String why;
    private final String todo;

    /// The parts have no full stop.
    public EnvironmentException(String what, String why, String todo) {
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

    public String todo() {
        return todo;
    }
}
