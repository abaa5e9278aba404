package wallfinder.lab.session;

import java.nio.file.Path;
import wallfinder.load.EngineChoice;
import wallfinder.sandbox.RunLock;

/// What everything in one run shares.
///
/// @param home where Wallfinder is installed: `{home}` in an experiment
/// @param lock marks all that this run makes on the host, for as long as it lives
/// @param folder where the run leaves its files
public record RunContext(
        Path home,
        RunLock lock,
        Path folder,
        EngineChoice engine,
        Interruption interruption,
        Progress progress) {}
