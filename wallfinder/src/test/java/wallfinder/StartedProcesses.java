package wallfinder;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Ends the processes that a test has started, after its own clean-up.
public final class StartedProcesses implements AfterEachCallback {
    private static final long SECONDS_MAX = 20;

    private final List<Process> all = new ArrayList<>();

    /// @return the same process
    public Process add(Process process) {
        all.add(process);
        return process;
    }

    public List<Process> all() {
        return all;
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        all.forEach(Process::destroyForcibly);
        for (Process process : all) {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new AssertionError(process.info() + " does not end");
            }
        }
        all.clear();
    }
}
