package wallfinder.profiling;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.sampling.AttachSocket;
import wallfinder.sampling.TargetFolder;

/// async-profiler, a native agent for JVMs from 11 on. The JVM loads it from a folder in its
/// `/tmp`, and keeps it loaded until it ends.
final class AsyncProfiler extends JavaProfiler {
    private static final String LIBRARY = "libasyncProfiler.so";

    /// Without a file, the JVM would print to its own output that it has stopped.
    private static final String STOP_OPTIONS = "stop,loglevel=none,jfr,file=";

    private static final String LOADED = "return code: 0";

    private final Samples samples;

    AsyncProfiler(int pid, Samples samples) {
        super(pid);
        this.samples = samples;
    }

    @Override
    String begin(AttachSocket socket, TargetFolder folder) {
        try (InputStream library = library()) {
            if (library == null) {
                return "there is no async-profiler for " + System.getProperty("os.arch");
            }
            folder.place(LIBRARY, library);
        } catch (IOException e) {
            return "async-profiler cannot be copied to the JVM's /tmp: " + e.getMessage();
        }
        return clocks().stream().anyMatch(clock -> begins(clock, socket, folder))
                ? ""
                : "the JVM does not answer, or cannot load async-profiler";
    }

    /// The timers of threads are no finer than the kernel's tick, often 4 ms. Perf events are,
    /// where the kernel allows them.
    private List<String> clocks() {
        return samples == Samples.FINE ? List.of("cpu", "ctimer") : List.of("ctimer");
    }

    private boolean begins(String clock, AttachSocket socket, TargetFolder folder) {
        return command(
                "start,loglevel=none,event=%s,interval=%dms,%sjstackdepth=512,jfr,file="
                        .formatted(
                                clock, samples.millis(), samples.allocations() ? "alloc=4m," : ""),
                socket,
                folder);
    }

    @Override
    void end(AttachSocket socket, TargetFolder folder) {
        command(STOP_OPTIONS, socket, folder);
    }

    private static boolean command(String options, AttachSocket socket, TargetFolder folder) {
        String answer = socket.loadAgent(folder.path(LIBRARY), options + folder.path(FILE));
        return answer != null && answer.contains(LOADED);
    }

    private static @Nullable InputStream library() {
        String platform = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        return AsyncProfiler.class.getResourceAsStream("/native/linux-" + platform + "/" + LIBRARY);
    }

    @Override
    String event() {
        return "jdk.ExecutionSample";
    }
}
