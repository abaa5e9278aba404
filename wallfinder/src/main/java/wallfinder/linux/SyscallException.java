package wallfinder.linux;

/// A system call failed unexpectedly.
public final class SyscallException extends EnvironmentException {
    private static final long serialVersionUID = 1L;

    private final int number;

    /// @param call the attempted call, such as `unshare(CLONE_NEWNET)`
    /// @param number the kernel's error number
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
