package wallfinder.sampling;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/// An archive of the classes that a JVM has loaded. Later JVMs with the same class path map the
/// archive into memory instead of reading and linking each class.
public final class ClassArchive {
    /// The option with which a JVM can write an archive (Java 17 and newer).
    public static final String RECORDING = "-XX:+RecordDynamicDumpInfo";

    /// Ten thousand classes take some seconds of a CPU.
    private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

    private ClassArchive() {}

    /// Lets the first JVM among some processes write an archive, and returns whether it did. Kills
    /// that JVM, because classes that a JVM loads after a dump may crash it: JVM 25.0.3 crashed in
    /// a shutdown hook and left its report in the working directory.
    public static boolean write(Collection<Long> pids, Path file) {
        return JvmCensus.ofBusiestJvm(pids, (figures, socket) -> write(figures, socket, file))
                .orElse(false);
    }

    private static boolean write(JvmFigures figures, AttachSocket socket, Path file) {
        socket.jcmd("VM.cds dynamic_dump \"" + file.toAbsolutePath() + "\"", NANOS_MAX);
        ProcessHandle.of(figures.pid()).ifPresent(ProcessHandle::destroyForcibly);
        return Files.exists(file);
    }
}
