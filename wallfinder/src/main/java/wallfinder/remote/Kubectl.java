package wallfinder.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import wallfinder.linux.EnvironmentException;

/// The user's `kubectl`, with its configuration as it is.
final class Kubectl {
    private static final String PROGRAM = "kubectl";
    private static final String OWN_SESSION = "setsid";
    private static final Duration END_MAX = Duration.ofSeconds(60);
    private static final int PRINTED_CHARS_MAX = 8 << 10;

    private final String target;
    private final String namespace;
    private final String context;

    /// @param target as the user named it
    /// @param context of its configuration; empty for the current one
    Kubectl(String target, String namespace, String context) {
        this.target = target;
        this.namespace = namespace;
        this.context = context;
    }

    /// A command that has ended.
    record Ended(int code, String out, String errors) {}

    /// A command that runs, and the end of what it wrote to the standard error.
    static final class Running {
        private final Process process;
        private final StringBuilder errors = new StringBuilder();
        private final Thread reader;

        private Running(Process process) {
            this.process = process;
            reader = Thread.ofPlatform().daemon().name("kubectl").start(this::read);
        }

        private void read() {
            try (InputStream in = process.getErrorStream()) {
                byte[] bytes = new byte[1 << 10];
                for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                    keep(new String(bytes, 0, n, StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                // It has ended.
            }
        }

        private synchronized void keep(String text) {
            errors.append(text);
            errors.delete(0, Math.max(0, errors.length() - PRINTED_CHARS_MAX));
        }

        Process process() {
            return process;
        }

        /// Waits for the end of the output after the end of the process.
        String errors() {
            try {
                reader.join(Duration.ofSeconds(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            synchronized (this) {
                return errors.toString();
            }
        }
    }

    /// kubectl gets a session of its own, so that Ctrl-C reaches only this process, which then ends
    /// in order.
    ///
    /// @throws EnvironmentException if it is not installed
    Running start(List<String> arguments) {
        List<String> words = new ArrayList<>();
        if (Installed.has(OWN_SESSION)) {
            words.add(OWN_SESSION);
        }
        words.add(PROGRAM);
        if (!context.isEmpty()) {
            words.add("--context=" + context);
        }
        words.add("--namespace=" + namespace);
        words.addAll(arguments);
        if (!Installed.has(PROGRAM)) {
            throw notInstalled();
        }
        try {
            return new Running(new ProcessBuilder(words).start());
        } catch (IOException e) {
            throw notInstalled();
        }
    }

    private EnvironmentException notInstalled() {
        return new EnvironmentException(
                "there is no connection to " + target,
                "the program kubectl is not installed on this host",
                "install it, and make this work: kubectl get pods -n " + namespace);
    }

    /// Runs a command to its end.
    ///
    /// @throws EnvironmentException if it does not end in time
    Ended run(List<String> arguments, String input) {
        Running running = start(arguments);
        Process process = running.process();
        try (OutputStream out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It has ended, and says why.
        }
        try {
            String out =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Integer code = SshLink.await(process, END_MAX);
            if (code != null) {
                return new Ended(code, out, running.errors());
            }
        } catch (IOException e) {
            // It was killed.
        }
        process.destroyForcibly();
        throw new EnvironmentException(
                "kubectl does not end",
                "%s took more than %d s".formatted(arguments.getFirst(), END_MAX.toSeconds()),
                "see whether the cluster answers: kubectl get pods -n " + namespace);
    }

    /// Runs a command that has to succeed.
    ///
    /// @param what cannot be done otherwise
    /// @throws EnvironmentException if it fails
    String must(String what, List<String> arguments, String input) {
        Ended ended = run(arguments, input);
        if (ended.code() == 0) {
            return ended.out();
        }
        throw failure(what, ended.errors());
    }

    private EnvironmentException failure(String what, String errors) {
        String line = SshFailure.lastLine(errors);
        String why =
                line.isEmpty() ? "kubectl failed and printed nothing" : "kubectl says: " + line;
        if (errors.contains("privileged")) {
            return new EnvironmentException(
                    what,
                    why,
                    "ask for the right to start privileged pods in the namespace " + namespace);
        }
        if (errors.contains("orbidden")) {
            return new EnvironmentException(
                    what,
                    why,
                    "ask for a role with the rights of docs/kubernetes.md in the namespace "
                            + namespace);
        }
        return new EnvironmentException(
                what, why, "make this work: kubectl get pods -n " + namespace);
    }
}
