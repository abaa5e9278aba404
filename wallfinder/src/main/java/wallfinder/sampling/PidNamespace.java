package wallfinder.sampling;

/// The PID namespace of a process, such as that of a container.
public final class PidNamespace {
    private PidNamespace() {}

    /// The process's id inside its own PID namespace: the last of `NSpid` in its status.
    public static int ownPid(int pid) {
        KernelText status = new KernelText();
        int own = pid;
        if (status.loadOnce("/proc/" + pid + "/status") && status.seek(KernelText.key("NSpid:"))) {
            while (!status.lineEnds()) {
                own = (int) status.number();
            }
        }
        return own;
    }
}
