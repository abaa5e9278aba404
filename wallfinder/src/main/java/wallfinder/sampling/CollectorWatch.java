package wallfinder.sampling;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Lets a JVM with ZGC or Shenandoah write the log of its collector while it is watched, and reads
/// it on a separate thread. Only the log shows the waits for memory and the pauses of Shenandoah.
/// [#close] switches the log off and deletes it.
///
/// Each watch of a JVM has its own log. If this process is killed, the JVM writes on into two files
/// of at most 1 MB each, until it ends.
final class CollectorWatch implements AutoCloseable {
    private static final long TAIL_NANOS = 100_000_000L;
    private static final String LOG = "gc.log";
    private static final String SETTING =
            " what=gc=info decorators=uptimenanos output_options=filecount=1,filesize=1M";

    private final int pid;
    private final AttachSocket socket;
    private final BooleanSupplier affordable;
    private final Thread thread = new Thread(this::run, "collector-watch");
    private volatile boolean stopping;
    private volatile CollectorLog.@Nullable Sums sums;

    /// @param affordable whether the JVM has enough memory and descriptors left for a log
    CollectorWatch(int pid, BooleanSupplier affordable) {
        this.pid = pid;
        socket = new AttachSocket(pid);
        this.affordable = affordable;
        thread.setDaemon(true);
        thread.start();
    }

    /// What the log says; null if there is none.
    CollectorLog.@Nullable Sums sums() {
        return sums;
    }

    private void run() {
        try (socket) {
            while (!stopping && !affordable.getAsBoolean()) {
                LockSupport.parkNanos(JvmAsking.PAUSE_NANOS_MIN);
            }
            if (!stopping) {
                watch();
            }
        }
    }

    private void watch() {
        TargetFolder folder = TargetFolder.create(pid);
        if (folder == null) {
            return;
        }
        try (folder;
                LogTail tail = new LogTail(folder, LOG)) {
            String output = "VM.log output=" + folder.path(LOG);
            String answer = socket.jcmd(output + SETTING);
            // The JVM answers a setting that it refuses with a sentence, and otherwise with
            // nothing.
            if (answer != null && answer.isBlank()) {
                follow(tail);
            }
            socket.jcmd(output + " what=all=off"); // a late answer may have been lost
        }
    }

    private void follow(LogTail tail) {
        CollectorLog log = new CollectorLog();
        while (!stopping) {
            log.add(tail.lines());
            sums = log.sums();
            LockSupport.parkNanos(TAIL_NANOS);
        }
    }

    @Override
    public void close() {
        stopping = true;
        JvmAsking.end(thread);
    }
}
