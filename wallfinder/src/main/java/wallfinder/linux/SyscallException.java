package wallfinder.linux;

/// A call into the kernel failed where it should not.
public final class SyscallException extends EnvironmentException {
    private static final long serialVersionUID = 1L;

    private final int number;

    /// @param call what was attempted, such as `unshare(CLONE_NEWNET)`
    /// @param number the error number the kernel gave
    public SyscallException(String call, int number) {
        super(call, describe(Errno.of(number), number), Errno.of(number).todo());
        this.number = number;
    }

    public Errno errno() {
        return Errno.of(number);
    }

    private static String describe(Errno errno, int number) {
        return errno + " (" + number + "), " + errno.meaning() + ": " + errno.likelyCause();
    }
}
