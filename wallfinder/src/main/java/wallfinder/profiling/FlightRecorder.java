package wallfinder.profiling;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import wallfinder.sampling.AttachSocket;
import wallfinder.sampling.TargetFolder;

/// The CPU-time samples of a JVM's own Flight Recorder (JEP 509), from JVM 25 on.
final class FlightRecorder implements JavaProfiler {
    /// Two programs may sample the same JVM.
    private static final String NAME = "wallfinder-" + ProcessHandle.current().pid();

    private static final String FILE = "profile.jfr";
    private static final String START_OPTIONS =
            " +jdk.CPUTimeSample#enabled=true +jdk.CPUTimeSample#throttle=5ms"
                    + " +jdk.CPUTimeSamplesLost#enabled=true"
                    + " +jdk.ObjectAllocationSample#enabled=true"
                    + " +jdk.ObjectAllocationSample#throttle=150/s";

    /// Writing a recording may take seconds.
    private static final long STOP_NANOS_MAX = 30_000_000_000L;

    private final AttachSocket socket;
    private final @Nullable TargetFolder folder;
    private boolean recording;

    FlightRecorder(int pid) {
        socket = new AttachSocket(pid);
        folder = TargetFolder.create(pid);
    }

    @Override
    public String start() {
        if (folder == null) {
            return "this user may not write to the JVM's /tmp";
        }
        // The depth can be set only before the first recording of this JVM.
        socket.jcmd("JFR.configure stackdepth=512");
        String answer =
                socket.jcmd(
                        "JFR.start name=%s settings=none filename=%s%s"
                                .formatted(NAME, folder.path(FILE), START_OPTIONS));
        recording = answer != null && answer.contains("Started recording");
        return recording
                ? ""
                : answer == null
                        ? "the JVM does not answer, or has no Flight Recorder"
                        : answer.strip();
    }

    @Override
    public void stop(Path to) throws IOException {
        recording = false;
        socket.jcmd("JFR.stop name=" + NAME, STOP_NANOS_MAX);
        if (folder != null) {
            folder.copyOut(FILE, to);
        }
    }

    @Override
    public String event() {
        return "jdk.CPUTimeSample";
    }

    @Override
    public void close() {
        if (recording) {
            socket.jcmd("JFR.stop name=" + NAME, STOP_NANOS_MAX);
        }
        socket.close();
        if (folder != null) {
            folder.close();
        }
    }
}
