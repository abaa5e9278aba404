package wallfinder.profiling;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import wallfinder.sampling.AttachSocket;
import wallfinder.sampling.TargetFolder;

/// Samples the stacks of one JVM into a recording in the format of JDK Flight Recorder. The JVM
/// writes it to a folder in its own `/tmp`.
abstract sealed class JavaProfiler implements AutoCloseable permits FlightRecorder, AsyncProfiler {
    static final String FILE = "profile.jfr";

    private final int pid;
    private final AttachSocket socket;
    private final @Nullable TargetFolder folder;
    private boolean recording;

    JavaProfiler(int pid) {
        this.pid = pid;
        socket = new AttachSocket(pid);
        folder = TargetFolder.create(pid);
    }

    int pid() {
        return pid;
    }

    /// Whether the profiler is available is only known after its start.
    ///
    /// @return why it is not available; empty if it has begun
    String start() {
        if (folder == null) {
            return "this user may not write to the JVM's /tmp";
        }
        String reason = begin(socket, folder);
        recording = reason.isEmpty();
        return reason;
    }

    /// Ends the samples and writes them to a file of ours.
    ///
    /// @throws IOException if the JVM has ended, or wrote nothing
    void stop(Path to) throws IOException {
        recording = false;
        if (folder != null) {
            end(socket, folder);
            folder.copyOut(FILE, to);
        }
    }

    /// Begins to record.
    ///
    /// @return why that is not possible; empty if it has begun
    abstract String begin(AttachSocket socket, TargetFolder folder);

    /// Ends the recording.
    abstract void end(AttachSocket socket, TargetFolder folder);

    /// The event in the recording that is a sample.
    abstract String event();

    /// Ends the samples, if they have not ended yet, and deletes what the JVM has written.
    @Override
    public void close() {
        if (recording && folder != null) {
            end(socket, folder);
        }
        socket.close();
        if (folder != null) {
            folder.close();
        }
    }
}
