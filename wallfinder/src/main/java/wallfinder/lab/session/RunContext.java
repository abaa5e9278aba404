package wallfinder.lab.session;

import java.nio.file.Path;
import wallfinder.load.EngineChoice;
import wallfinder.sandbox.RunLock;

/// What all parts of one run share.
///
/// @param home where Wallfinder is installed: `{home}` in an experiment
/// @param lock its id marks everything that this run creates on the host
/// @param folder where the run writes its files
public record RunContext(
        Path home,
        RunLock lock,
        Path folder,
        EngineChoice engine,
        Interruption interruption,
        Progress progress) {}
