package wallfinder.lab.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import wallfinder.lab.session.Progress;
import wallfinder.remote.ProgramFolder;
import wallfinder.remote.RemoteProgram;
import wallfinder.remote.SshLink;
import wallfinder.remote.SshTarget;

/// A command that runs on another host.
public final class RemoteCommand {
    private RemoteCommand() {}

    /// @param host the name of the other host
    public record Result(String host, RemoteProgram.Ended ended) {}

    /// @param home where this program is installed
    /// @param command the command and its options
    /// @param option names the file for its result
    /// @throws wallfinder.linux.EnvironmentException if the host does not allow it
    public static Result run(
            SshTarget target, Path home, List<String> command, String option, Progress progress)
            throws IOException {
        try (SshLink link = SshLink.open(target, RemoteProgram.QUESTIONS)) {
            RemoteProgram program = copied(link, ProgramFolder.of(home), progress);
            return new Result(link.fact("name"), program.run(command, option));
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
