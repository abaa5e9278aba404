package wallfinder.lab.trial;

import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.Interruption;
import wallfinder.linux.EnvironmentException;

/// The services of an experiment did not start. With a remedy that is a result; without one it ends
/// the run as its cause does.
public final class NotStarted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RuntimeException failure;

    public NotStarted(RuntimeException failure) {
        super(failure);
        this.failure = failure;
    }

    /// Starts services.
    ///
    /// @throws NotStarted if the user or the host got something wrong
    /// @throws CancellationException if the user stopped, which may end a service, too
    public static <T> T unless(Supplier<T> start, Interruption interruption) {
        try {
            return start.get();
        } catch (EnvironmentException | UsageException e) {
            interruption.check();
            throw new NotStarted(e);
        }
    }

    /// An error without this one around it.
    public static RuntimeException inside(RuntimeException error) {
        return error instanceof NotStarted notStarted ? notStarted.failure : error;
    }

    /// For example `the service did not start with it: the service web ended before it was ready`.
    public String withRemedy() {
        return "the service did not start with it: "
                + String.join(
                        " ",
                        String.valueOf(failure.getMessage()).lines().map(String::strip).toList());
    }
}
