package wallfinder.profiling;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import wallfinder.sampling.AttachSocket;
import wallfinder.sampling.TargetFolder;

/// async-profiler, a native agent for JVMs from 11 on. The JVM loads it from a folder in its
/// `/tmp`, and keeps it loaded until it ends.
final class AsyncProfiler implements JavaProfiler {
    private static final String LIBRARY = "libasyncProfiler.so";
    private static final String FILE = "profile.jfr";
    private static final String START_OPTIONS =
            "start,loglevel=none,event=ctimer,interval=5ms,alloc=4m,jstackdepth=512,jfr,file=";

    /// Without a file, the JVM would print to its own output that it has stopped.
    private static final String STOP_OPTIONS = "stop,loglevel=none,jfr,file=";

    private static final String LOADED = "return code: 0";

    private final AttachSocket socket;
    private final @Nullable TargetFolder folder;
    private boolean recording;

    AsyncProfiler(int pid) {
        socket = new AttachSocket(pid);
        folder = TargetFolder.create(pid);
    }

    @Override
    public String start() {
        if (folder == null) {
            return "this user may not write to the JVM's /tmp";
        }
        try (InputStream library = library()) {
            if (library == null) {
                return "there is no async-profiler for " + System.getProperty("os.arch");
            }
            folder.place(LIBRARY, library);
        } catch (IOException e) {
            return "async-profiler cannot be copied to the JVM's /tmp: " + e.getMessage();
        }
        recording = command(START_OPTIONS + folder.path(FILE));
        return recording ? "" : "the JVM does not answer, or cannot load async-profiler";
    }

    private boolean command(String options) {
        if (folder == null) {
            return false;
        }
        String answer = socket.loadAgent(folder.path(LIBRARY), options);
        return answer != null && answer.contains(LOADED);
    }

    private static @Nullable InputStream library() {
        String platform = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        return AsyncProfiler.class.getResourceAsStream("/native/linux-" + platform + "/" + LIBRARY);
    }

    @Override
    public void stop(Path to) throws IOException {
        recording = false;
        if (folder != null) {
            command(STOP_OPTIONS + folder.path(FILE));
            folder.copyOut(FILE, to);
        }
    }

    @Override
    public String event() {
        return "jdk.ExecutionSample";
    }

    @Override
    public void close() {
        if (recording && folder != null) {
            command(STOP_OPTIONS + folder.path(FILE));
        }
        socket.close();
        if (folder != null) {
            folder.close();
        }
    }
}
