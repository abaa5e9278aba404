package wallfinder.profiling;

import java.io.IOException;
import java.nio.file.Path;

/// Samples the stacks of one JVM into a recording in the format of JDK Flight Recorder.
sealed interface JavaProfiler extends AutoCloseable permits FlightRecorder, AsyncProfiler {
    /// Whether the profiler is available is only known after its start.
    ///
    /// @return why it is not available; empty if it has begun
    String start();

    /// Ends the samples and writes them to a file of ours.
    ///
    /// @throws IOException if the JVM has ended, or wrote nothing
    void stop(Path recording) throws IOException;

    /// The event in the recording that is a sample.
    String event();

    /// Ends the samples, if they have not ended yet, and deletes what the JVM has written.
    @Override
    void close();
}
