package wallfinder.lab.session;

import java.nio.file.Path;
import wallfinder.load.EngineChoice;
import wallfinder.sandbox.RunLock;

/// The context of a run in one folder.
public final class SampleContext {
    private SampleContext() {}

    public static RunContext of(Path folder, RunLock lock, Progress progress) {
        return new RunContext(
                folder, lock, folder, EngineChoice.EPOLL, new Interruption(), progress);
    }
}
