package wallfinder.sampling;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/// An archive of the classes that a JVM has loaded, which the next ones with the same class path
/// map into their memory instead of reading and linking each class.
public final class ClassArchive {
    /// What a JVM has to be started with to write one (Java 17 and newer).
    public static final String RECORDING = "-XX:+RecordDynamicDumpInfo";

    /// Ten thousand classes take some seconds of a CPU.
    private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

    private ClassArchive() {}

    /// Has the first JVM among some processes write one, and kills it: what a JVM loads after a
    /// dump may crash it. 25.0.3 was seen to in a shutdown hook, and left its report in the working
    /// directory.
    ///
    /// @return whether there is one
    public static boolean write(Collection<Long> pids, Path file) {
        for (long pid : pids) {
            JvmFigures figures = new JvmFigures((int) pid);
            try (AttachSocket socket = new AttachSocket((int) pid)) {
                figures.scan();
                if (figures.threads().isJvm()) {
                    socket.jcmd("VM.cds dynamic_dump \"" + file.toAbsolutePath() + "\"", NANOS_MAX);
                    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                    return Files.exists(file);
                }
            } finally {
                figures.close();
            }
        }
        return false;
    }
}
