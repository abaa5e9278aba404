package wallfinder.sampling;

/// The soft limits of one process, which are the effective ones, from `/proc/PID/limits`.
final class ProcessLimits {
    private static final byte[] DESCRIPTORS = KernelText.key("Max open files");
    private static final byte[] TASKS = KernelText.key("Max processes");

    private ProcessLimits() {}

    /// Open descriptors; `NaN` if unlimited, or if the process has ended.
    static double descriptors(int pid, KernelText text) {
        return soft(pid, DESCRIPTORS, text);
    }

    /// Processes and threads of its user; `NaN` if unlimited, or if the process has ended.
    static double tasks(int pid, KernelText text) {
        return soft(pid, TASKS, text);
    }

    private static double soft(int pid, byte[] name, KernelText text) {
        boolean found = text.loadOnce("/proc/" + pid + "/limits") && text.seek(name);
        return found ? text.number() : Double.NaN;
    }
}
