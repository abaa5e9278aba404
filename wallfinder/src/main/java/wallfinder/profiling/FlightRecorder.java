package wallfinder.profiling;

import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.sampling.AttachSocket;
import wallfinder.sampling.TargetFolder;

/// The CPU-time samples of a JVM's own Flight Recorder (JEP 509), from JVM 25 on.
final class FlightRecorder extends JavaProfiler {
    /// Two programs may sample the same JVM.
    private static final String NAME = "wallfinder-" + ProcessHandle.current().pid();

    private static final String START_OPTIONS =
            " +jdk.CPUTimeSample#enabled=true +jdk.CPUTimeSample#throttle=5ms"
                    + " +jdk.CPUTimeSamplesLost#enabled=true";

    private static final String ALLOCATION_OPTIONS =
            " +jdk.ObjectAllocationSample#enabled=true"
                    + " +jdk.ObjectAllocationSample#throttle=150/s";

    /// Writing a recording may take seconds.
    private static final long STOP_NANOS_MAX = 30_000_000_000L;

    private final Samples samples;

    FlightRecorder(int pid, Samples samples) {
        super(pid);
        this.samples = samples;
    }

    @Override
    String begin(AttachSocket socket, TargetFolder folder) {
        // The depth can be set only before the first recording of this JVM.
        socket.jcmd("JFR.configure stackdepth=512");
        String answer =
                socket.jcmd(
                        "JFR.start name=%s settings=none filename=%s%s"
                                .formatted(NAME, folder.path(FILE), options()));
        if (answer == null) {
            return "the JVM does not answer, or has no Flight Recorder";
        }
        return answer.contains("Started recording") ? "" : answer.strip();
    }

    private String options() {
        return START_OPTIONS + (samples.allocations() ? ALLOCATION_OPTIONS : "");
    }

    @Override
    void end(AttachSocket socket, TargetFolder folder) {
        socket.jcmd("JFR.stop name=" + NAME, STOP_NANOS_MAX);
    }

    @Override
    String event() {
        return "jdk.CPUTimeSample";
    }
}
