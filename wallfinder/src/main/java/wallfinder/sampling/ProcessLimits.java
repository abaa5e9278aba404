package wallfinder.sampling;

import java.nio.charset.StandardCharsets;

/// The limits of one process as `/proc/PID/limits` tells them: the soft ones, which hold.
final class ProcessLimits {
    private static final byte[] DESCRIPTORS = key("Max open files");
    private static final byte[] TASKS = key("Max processes");

    private ProcessLimits() {}

    private static byte[] key(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /// `NaN` if unlimited, or if the process is gone.
    static double descriptors(int pid, KernelText text) {
        return soft(pid, DESCRIPTORS, text);
    }

    /// Processes and threads of its user; the same.
    static double tasks(int pid, KernelText text) {
        return soft(pid, TASKS, text);
    }

    private static double soft(int pid, byte[] name, KernelText text) {
        if (text.loadOnce("/proc/" + pid + "/limits")) {
            for (; !text.atEnd(); text.nextLine()) {
                if (text.skip(name)) {
                    return text.number();
                }
            }
        }
        return Double.NaN;
    }
}
