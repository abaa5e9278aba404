package wallfinder.mcp;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wallfinder.linux.EnvironmentException;

/// How the tools start this program again, each time as a process of its own.
///
/// @param words the command line before the command
/// @param folder where it works
public record Program(List<String> words, Path folder) {
    private static final String MAIN = "wallfinder/wallfinder.cli.Main";

    /// The kernel ends the tool's process if this one is killed. Old versions of the program do not
    /// know the option.
    private static final List<String> TIED = List.of("setpriv", "--pdeathsig", "TERM");

    /// Started by the script that started this process, because the script also gives a user who is
    /// not root the namespaces of an experiment. Without a script, as this process was started.
    public static Program own(Path folder) {
        List<String> words = new ArrayList<>(canBeTied() ? TIED : List.of());
        String script = System.getProperty("wallfinder.script");
        words.addAll(script != null ? List.of(script) : started());
        return new Program(words, folder);
    }

    private static List<String> started() {
        ProcessHandle.Info own = ProcessHandle.current().info();
        List<String> words = new ArrayList<>(own.command().stream().toList());
        List<String> arguments = Arrays.asList(own.arguments().orElse(new String[0]));
        words.addAll(arguments.subList(0, arguments.indexOf(MAIN) + 1));
        if (words.size() < 2) {
            throw new EnvironmentException(
                    "the tools cannot be started",
                    "the command line of this process cannot be read from /proc",
                    "mount /proc, or start the server with bin/wallfinder");
        }
        return words;
    }

    private static boolean canBeTied() {
        List<String> words = new ArrayList<>(TIED);
        words.add("true");
        try {
            return new ProcessBuilder(words)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// @param json where the command writes its result, or none
    Process start(List<String> command, List<Path> json) throws IOException {
        List<String> line = new ArrayList<>(words);
        line.add(command.getFirst());
        json.forEach(file -> line.add("--json=" + file));
        line.addAll(command.subList(1, command.size()));
        return new ProcessBuilder(line)
                .directory(folder.toFile())
                .redirectInput(new File("/dev/null"))
                .start();
    }
}
