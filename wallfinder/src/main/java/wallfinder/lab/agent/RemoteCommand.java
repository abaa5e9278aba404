package wallfinder.lab.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import wallfinder.lab.session.Progress;
import wallfinder.remote.ProgramFolder;
import wallfinder.remote.RemoteProgram;
import wallfinder.remote.SshLink;
import wallfinder.remote.SshTarget;

/// A command that runs on another host and prints here.
public final class RemoteCommand {
    private RemoteCommand() {}

    /// @param home where this program is installed
    /// @param command the command and its options
    /// @param results options that name a file for results, and where it goes on this host
    /// @return its exit code
    /// @throws wallfinder.linux.EnvironmentException if the host does not allow it
    public static int run(
            SshTarget target,
            Path home,
            List<String> command,
            Map<String, Path> results,
            Progress progress)
            throws IOException {
        try (SshLink link = SshLink.open(target, RemoteProgram.QUESTIONS)) {
            return copied(link, ProgramFolder.of(home), progress).run(command, results);
        }
    }

    /// Copies the program if it is missing.
    static RemoteProgram copied(SshLink link, ProgramFolder program, Progress progress) {
        return RemoteProgram.on(
                link,
                program,
                () -> progress.say("copying Wallfinder to %s, once".formatted(link.target())));
    }
}
