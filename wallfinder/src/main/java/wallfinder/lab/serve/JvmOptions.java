package wallfinder.lab.serve;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;
import wallfinder.sandbox.Foreground;

/// The options that a JVM should have in a container. `launcher/run-java`, which starts
/// applications in images, computes them, so that there is one rule, without Java.
///
/// @param home the project's folder
public record JvmOptions(Path home) {
    /// Lets the script print the options. It reads the same variables as at an application's start.
    ///
    /// @param asked the JVM: a major version or a path; null for the JVM that runs this program
    /// @param plan the options of the script
    /// @return the script's exit code: 1 if the plan does not fit, 2 if it cannot be read
    public int print(@Nullable String asked, List<String> plan) throws InterruptedException {
        Path script = home.resolve("launcher/run-java");
        if (!Files.isRegularFile(script)) {
            throw new EnvironmentException(
                    "the options cannot be computed",
                    "there is no " + script,
                    "run bin/wallfinder in a complete clone of the project");
        }
        Path jvm = Jvms.named(asked).home();
        List<String> command = new ArrayList<>();
        command.addAll(List.of("env", "-u", "JAVA_MAJOR_VERSION", "JAVA_HOME=" + jvm));
        command.add("PATH=" + jvm.resolve("bin") + ":" + System.getenv("PATH"));
        command.addAll(List.of("sh", script.toString(), "options"));
        command.addAll(plan);
        return Foreground.run(command);
    }
}
