package wallfinder.sampling;

import java.nio.file.Path;

/// Why this user may not see what the threads of a process wait for.
public final class HiddenThreads {
    private static final Path YAMA = Path.of("/proc/sys/kernel/yama/ptrace_scope");

    private HiddenThreads() {}

    /// Whether the kernel hides where the threads of this process sleep.
    public static boolean of(long pid) {
        KernelText text = new KernelText();
        int main = Math.toIntExact(pid);
        return !text.loadOnce(ThreadPlace.file(main, main)) || text.atEnd();
    }

    /// The kernel shows it to those who may trace the process.
    public static String why() {
        double scope = SampledFile.numberIn(YAMA);
        return scope > 0
                ? "kernel.yama.ptrace_scope is %.0f".formatted(scope)
                : "this user may not trace it";
    }
}
