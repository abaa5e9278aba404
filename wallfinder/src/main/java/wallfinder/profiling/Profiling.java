package wallfinder.profiling;

import java.io.IOException;
import java.util.List;
import wallfinder.observation.Caveat;
import wallfinder.observation.CpuWindow;

/// Watches what the CPUs do for services, on this host or on another one, in windows of time.
public interface Profiling extends AutoCloseable {
    /// What it cannot see.
    List<Caveat> doubts();

    boolean anyJvm();

    /// Begins a window anew. The time since the end of the last window belongs to none.
    void beginWindow();

    /// Ends a window and begins the next.
    ///
    /// @param answered how many answers the services gave in it; `NaN` if that is unknown
    void endWindow(double answered);

    /// Ends the samples.
    ///
    /// @return what each window saw
    /// @throws IOException if that is lost
    List<CpuWindow> stop() throws IOException;

    @Override
    void close();
}
