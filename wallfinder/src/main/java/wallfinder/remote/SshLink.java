package wallfinder.remote;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.OwnFolder;

/// A connection to another host by the user's own `ssh`, over which several programs can be
/// started.
///
/// It takes the user's configuration, keys and known hosts as they are. Its options only forbid:
/// questions in the middle of a run, forwarding, terminals. The connection lives as long as the
/// standard input of its first process is open. So it ends with this process, even after `kill -9`.
/// The next connection removes the folder of a killed one.
public final class SshLink implements AutoCloseable {
    /// A socket's path has at most 107 bytes, and ssh adds 17 for a moment.
    private static final Path SHORT = Path.of("/tmp");

    private static final String FOLDER = "wallfinder-ssh-";
    private static final String SOCKET = "c";
    private static final String SSH = "ssh";
    private static final String OWN_SESSION = "setsid";

    private static final int PRINTED_BYTES_MAX = 8 << 10;

    /// The first program holds the connection.
    private static final int CONNECTION = 0;

    private static final int FACTS_MAX = 10_000;
    private static final Duration END_MAX = Duration.ofSeconds(3);

    /// After the end of its output, a program has ended, or ends at once.
    private static final Duration CODE_MAX = Duration.ofSeconds(1);

    private static final List<String> OPTIONS =
            List.of(
                    "BatchMode=yes",
                    "LogLevel=ERROR",
                    "ConnectTimeout=10",
                    "ServerAliveInterval=5",
                    "ServerAliveCountMax=3",
                    "ClearAllForwardings=yes",
                    "ForwardAgent=no",
                    "ForwardX11=no",
                    "PermitLocalCommand=no",
                    "RemoteCommand=none",
                    "RequestTTY=no",
                    "EscapeChar=none");

    private final SshTarget target;
    private final OwnFolder folder;
    private final List<Process> started = new ArrayList<>();
    private Map<String, String> facts = Map.of();
    private int programs;

    private SshLink(SshTarget target, OwnFolder folder) {
        this.target = target;
        this.folder = folder;
    }

    /// Connects, and asks the host about itself.
    ///
    /// @param questions commands of a POSIX shell that print lines of the form `name=value`;
    ///   without single quotes and line breaks
    /// @throws EnvironmentException if there is no connection
    public static SshLink open(SshTarget target, String questions) {
        if (!Installed.has(SSH)) {
            throw SshFailure.noProgram(target);
        }
        SshLink link = unconnected(target);
        try {
            link.connect(questions);
            return link;
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    private static SshLink unconnected(SshTarget target) {
        try {
            return new SshLink(target, OwnFolder.make(SHORT, FOLDER));
        } catch (IOException e) {
            throw new EnvironmentException(
                    "there is no place for the socket of ssh",
                    "no folder can be made in " + SHORT + " (" + e + ")",
                    "make " + SHORT + " writable");
        }
    }

    private void connect(String questions) {
        Process master = start(List.of("-M"), questions + "; echo end=; exec cat >/dev/null");
        try {
            facts = facts(master);
        } catch (IOException e) {
            throw failure(master);
        }
        if (!facts.containsKey("end")) {
            throw failure(master);
        }
    }

    /// Other lines come from the start of a login shell.
    private static Map<String, String> facts(Process master) throws IOException {
        Map<String, String> facts = new TreeMap<>();
        BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(master.getInputStream(), StandardCharsets.UTF_8));
        for (int i = 0; i < FACTS_MAX && !facts.containsKey("end"); i++) {
            String line = lines.readLine();
            if (line == null) {
                break;
            }
            int equals = line.indexOf('=');
            if (equals > 0) {
                facts.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return facts;
    }

    private EnvironmentException failure(Process master) {
        await(master, END_MAX);
        return SshFailure.of(target, printed(CONNECTION));
    }

    /// What the host answered.
    public String fact(String name) {
        return facts.getOrDefault(name, "");
    }

    public SshTarget target() {
        return target;
    }

    /// A program on the other host. Its input and output are streams of this process.
    public record Program(Process process, int number) {}

    /// @param commands of a POSIX shell, without line breaks
    public Program start(String commands) {
        Process process = start(List.of("-o", "ControlMaster=no"), commands);
        return new Program(process, programs - 1);
    }

    /// ssh gets a session of its own, so that Ctrl-C reaches only this process, which then ends in
    /// order.
    private Process start(List<String> more, String commands) {
        if (commands.contains("\n")) {
            throw new IllegalArgumentException(commands); // some shells do not quote line breaks
        }
        List<String> words = new ArrayList<>();
        if (Installed.has(OWN_SESSION)) {
            words.add(OWN_SESSION);
        }
        words.add(SSH);
        for (String option : OPTIONS) {
            words.addAll(List.of("-o", option));
        }
        words.addAll(
                List.of(
                        "-o",
                        "ControlPath=" + folder.path().resolve(SOCKET),
                        "-o",
                        "ControlPersist=no"));
        words.addAll(more);
        words.addAll(List.of("-T", "--", target.destination()));
        // The user's shell there may be any, so it only starts a POSIX shell.
        words.add("exec /bin/sh -c " + quoted(commands));
        try {
            Process process =
                    new ProcessBuilder(words)
                            .redirectError(folder.path().resolve("e" + programs).toFile())
                            .start();
            programs++;
            started.add(process);
            return process;
        } catch (IOException e) {
            throw new EnvironmentException(
                    "ssh cannot be started",
                    String.valueOf(e.getMessage()),
                    "make this work: ssh " + target.destination());
        }
    }

    /// As one word of a shell.
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /// The end of what a program and its ssh wrote to the standard error.
    public String printed(Program program) {
        return printed(program.number());
    }

    /// Why a program ended: the last line that it wrote to the standard error, or else that of the
    /// connection. If both are silent, its exit code, which is 137 after SIGKILL.
    ///
    /// @param seen what its output showed
    public String whyEnded(Program program, String seen) {
        String own = SshFailure.lastLine(printed(program));
        String last = own.isEmpty() ? SshFailure.lastLine(printed(CONNECTION)) : own;
        if (!last.isEmpty()) {
            return last;
        }
        Integer code = await(program.process(), CODE_MAX);
        return code == null ? seen : "%s, exit code %d".formatted(seen, code);
    }

    private String printed(int number) {
        try {
            byte[] all = Files.readAllBytes(folder.path().resolve("e" + number));
            int from = Math.max(0, all.length - PRINTED_BYTES_MAX);
            return new String(all, from, all.length - from, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /// The exit code of a program; null if it did not end in time.
    public static @Nullable Integer await(Process process, Duration time) {
        try {
            return process.waitFor(time) ? process.exitValue() : null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /// Ends the programs and the connection. On the other host, the end of their input ends them.
    @Override
    public void close() {
        for (Process process : started.reversed()) {
            try {
                process.getOutputStream().close();
            } catch (IOException e) {
                // It has ended.
            }
            if (await(process, END_MAX) == null) {
                process.destroyForcibly();
            }
        }
        started.clear();
        folder.close();
    }
}
