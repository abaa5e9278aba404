package wallfinder.linux;

/// The error numbers of Linux on x86-64 and arm64 that Wallfinder may see
/// (`include/uapi/asm-generic/errno-base.h`, `errno.h`).
public enum Errno {
    EPERM(1, "not permitted", "a privilege is missing", "run as root, or allow user namespaces"),
    ENOENT(2, "no such file", "the path does not exist", "check the path"),
    EINTR(4, "interrupted", "a signal arrived", "try again"),
    EIO(5, "input/output error", "the device failed", "check the kernel log"),
    EBADF(9, "bad descriptor", "it is already closed", "report this bug"),
    EAGAIN(
            11,
            "try again",
            "nothing is ready, or the limit on processes or memory is reached",
            "raise the limit (ulimit -u, pids.max, ulimit -l)"),
    ENOMEM(
            12,
            "no memory",
            "the memory limit or RLIMIT_MEMLOCK is reached",
            "raise the memory limit or ulimit -l"),
    EACCES(13, "access denied", "a permission is missing", "check the permissions, or run as root"),
    EFAULT(14, "bad address", "a pointer is wrong", "report this bug"),
    EBUSY(16, "busy", "something else uses it", "stop what uses it"),
    EEXIST(17, "already exists", "something created it before", "choose another name"),
    ENODEV(19, "no such device", "the device does not exist", "check its name"),
    EINVAL(22, "invalid argument", "the kernel does not know this request", "use a newer kernel"),
    ENFILE(23, "too many open files on the host", "fs.file-max is reached", "raise fs.file-max"),
    EMFILE(
            24,
            "too many open files in this process",
            "RLIMIT_NOFILE is reached",
            "raise ulimit -n"),
    ENOSPC(28, "no space", "the disk is full", "free some space"),
    EROFS(
            30,
            "read-only file system",
            "the file system is mounted read-only",
            "run where it is writable, such as outside a container"),
    EPIPE(32, "broken pipe", "the other end has closed", "find out why the other end closed"),
    ENOSYS(
            38,
            "no such system call",
            "the kernel does not have this call, or a seccomp filter hides it",
            "use a newer kernel or a looser filter"),
    ETIME(62, "timer expired", "the wait took too long", "wait longer"),
    EPROTO(71, "protocol error", "the other end broke the protocol", "check the other end"),
    EPROTOTYPE(91, "wrong type of socket", "it is not a stream", "check the address"),
    EOPNOTSUPP(95, "not supported", "the kernel was built without it", "use another kernel"),
    EADDRINUSE(
            98,
            "address in use",
            "another socket uses this address and port",
            "stop that program, or choose another port"),
    EADDRNOTAVAIL(
            99,
            "cannot assign requested address",
            "no local port is free for that destination, or this host does not have the address",
            "reuse connections, add source addresses, or widen net.ipv4.ip_local_port_range"),
    ENETUNREACH(
            101, "network unreachable", "no route leads there", "check the address and the routes"),
    ECONNABORTED(103, "connection aborted", "the other end gave up", "find out why it closed"),
    ECONNRESET(
            104,
            "connection reset",
            "the other end dropped the connection",
            "find out why it closed"),
    ENOBUFS(105, "no buffer space", "the kernel has no free buffer", "lower the load"),
    ETIMEDOUT(
            110,
            "timed out",
            "the host did not answer",
            "check the host, its accept queue and its firewall"),
    ECONNREFUSED(
            111,
            "connection refused",
            "nothing listens there",
            "start the service, or check the port"),
    EHOSTUNREACH(113, "host unreachable", "the host does not answer", "check the address"),
    EINPROGRESS(115, "in progress", "the operation continues", "wait for it"),
    ECANCELED(125, "cancelled", "the caller cancelled it", "nothing"),
    UNKNOWN(
            -1,
            "unknown error",
            "Wallfinder does not know this number",
            "look it up with: errno NUMBER");

    private static final Errno[] BY_NUMBER = new Errno[134];

    static {
        for (Errno errno : values()) {
            if (errno.number >= 0) {
                BY_NUMBER[errno.number] = errno;
            }
        }
    }

    private final int number;
    private final String meaning;
    private final String likelyCause;
    private final String todo;

    Errno(int number, String meaning, String likelyCause, String todo) {
        this.number = number;
        this.meaning = meaning;
        this.likelyCause = likelyCause;
        this.todo = todo;
    }

    public int number() {
        return number;
    }

    public String meaning() {
        return meaning;
    }

    public String likelyCause() {
        return likelyCause;
    }

    public String todo() {
        return todo;
    }

    /// The constant for an error number, [#UNKNOWN] for other numbers.
    public static Errno of(int number) {
        Errno errno = number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        return errno == null ? UNKNOWN : errno;
    }
}
