package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where a thread sleeps, from `/proc/PID/task/TID/syscall` (proc_pid_syscall(5)).
///
/// @param argument the first one of the system call: a descriptor, or a futex's address
record ThreadPlace(How how, long argument, long stackPointer) {
    /// The number of a thread that sleeps in no system call (`lib/syscall.c`).
    static final int NO_CALL = -1;

    /// @param call the number of the system call
    /// @param timed whether it is a futex with a time limit
    record How(int call, boolean timed) {}

    static String file(int pid, int tid) {
        return "/proc/" + pid + "/task/" + tid + "/syscall";
    }

    /// Returns null if the thread runs.
    ///
    /// @param text what was read of its file
    static @Nullable ThreadPlace of(KernelText text) {
        double call = text.number();
        if (Double.isNaN(call)) {
            return null; // `running`
        }
        if (call < 0) {
            return new ThreadPlace(new How(NO_CALL, false), 0, (long) text.hex());
        }
        long argument = (long) text.hex();
        text.hex();
        text.hex();
        boolean timeLimit = text.hex() != 0;
        text.hex();
        text.hex();
        long stackPointer = (long) text.hex();
        boolean futex = WaitingCall.of((int) call) == WaitingCall.FUTEX;
        return new ThreadPlace(new How((int) call, futex && timeLimit), argument, stackPointer);
    }

    @Nullable WaitingCall call() {
        return WaitingCall.of(how.call);
    }

    /// What its descriptor leads to.
    String target(int pid) {
        return target(pid, argument);
    }

    /// What a descriptor leads to, such as `socket:[4711]`; empty if it is closed by now.
    static String target(int pid, long descriptor) {
        try {
            Path link = Path.of("/proc/" + pid + "/fd/" + descriptor);
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
