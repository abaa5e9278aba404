package wallfinder.lab.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.EngineChoice;
import wallfinder.observation.Peer;
import wallfinder.record.PeerJson;
import wallfinder.record.RunRecord;
import wallfinder.report.RunFolder;
import wallfinder.sandbox.AtExit;
import wallfinder.sandbox.MeasuringLock;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.ServiceUser;

/// One run of a command: its folder, its lock, and its interruption.
public final class Session implements AutoCloseable {
    private static final DateTimeFormatter FOLDER_TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final Path RUNS = Path.of("runs");

    /// A run's files take a few megabytes. With less free space than this they may be truncated.
    private static final long FREE_BYTES_MIN = 16L << 20;

    private static final Duration WAIT_MAX = Duration.ofHours(2);

    /// After Ctrl-C a run has this long to end in order and to report what it measured.
    private static final Duration END_MAX = Duration.ofSeconds(30);

    private static volatile boolean endingInOrder;

    private final String command;
    private final String name;
    private final Instant startedAt;
    private final @Nullable MeasuringLock measuring;
    private final RunContext context;

    private Session(
            String command,
            String name,
            Instant startedAt,
            @Nullable MeasuringLock measuring,
            RunContext context) {
        this.command = command;
        this.name = name;
        this.startedAt = startedAt;
        this.measuring = measuring;
        this.context = context;
    }

    /// @param home where Wallfinder is installed
    /// @param out the run's folder, or null for a new one under `runs`
    /// @param engine `auto`, `io_uring` or `epoll`
    public record Options(Path home, @Nullable Path out, String engine) {}

    /// Opens a run. If another run is measuring, waits until that run ends.
    ///
    /// @param command the command line
    /// @param name the experiment's name, or the host of the URL
    public static Session open(String command, String name, Options options, Progress progress) {
        return open(command, name, options, progress, true);
    }

    /// Opens a run that drives no load. Other runs may measure at the same time.
    public static Session openWithoutLoad(
            String command, String name, Options options, Progress progress) {
        return open(command, name, options, progress, false);
    }

    private static Session open(
            String command, String name, Options options, Progress progress, boolean measures) {
        EngineChoice engine = engine(options.engine());
        MeasuringLock measuring =
                measures ? MeasuringLock.await(WAIT_MAX, () -> progress.say(waiting())) : null;
        try {
            Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
            String id = FOLDER_TIME.format(now) + "-" + ProcessHandle.current().pid();
            Path folder = folder(options.out(), FOLDER_TIME.format(now) + "-" + fileName(name));
            RunLock lock = RunLock.hold(id);
            Interruption interruption = new Interruption();
            Thread main = Thread.currentThread();
            AtExit.first(() -> endInOrder(interruption, main));
            RunContext context =
                    new RunContext(options.home(), lock, folder, engine, interruption, progress);
            return new Session(command, name, now, measuring, context);
        } catch (RuntimeException | Error e) {
            if (measuring != null) {
                measuring.close();
            }
            throw e;
        }
    }

    /// Runs at a signal: stops the measurement, and waits until the main thread has reported it.
    private static void endInOrder(Interruption interruption, Thread main) {
        endingInOrder = true;
        interruption.request();
        try {
            main.join(END_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Ends the program. After a signal, the program is already ending with the signal's exit code
    /// and waits for the calling thread; [System#exit] would then wait for ever.
    public static void exit(int code) {
        if (!endingInOrder) {
            System.exit(code);
        }
    }

    public RunContext context() {
        return context;
    }

    public boolean interrupted() {
        return context.interruption().isRequested();
    }

    public Path folder() {
        return context.folder();
    }

    /// @param experiment the text of the experiment, or null
    public RunRecord record(
            List<RunRecord.Trial> trials,
            List<RunRecord.Rung> ladder,
            @Nullable String ended,
            @Nullable String experiment) {
        SortedMap<String, Object> facts = HostFacts.read();
        if (experiment != null) {
            facts.put("servicesRunAs", ServiceUser.of(null).text());
        }
        return new RunRecord(
                command, name, startedAt.toString(), facts, trials, ladder, ended, experiment);
    }

    public void keep(RunRecord record) {
        keep(record, null);
    }

    /// Writes the run's files.
    ///
    /// @param peer what a watch saw, for a load on another host; null for other commands
    /// @throws EnvironmentException if space or a permission is missing
    public void keep(RunRecord record, @Nullable Peer peer) {
        try {
            RunFolder.write(record, context.folder());
            context.progress().finished(context.folder().resolve(RunFolder.REPORT_HTML));
            if (peer != null) {
                PeerJson.write(peer, context.folder().resolve(PeerJson.FILE));
            }
        } catch (IOException | UncheckedIOException e) {
            throw unwritable(context.folder(), e);
        }
    }

    private static String waiting() {
        String who = MeasuringLock.holder().map(pid -> " (process " + pid + ")").orElse("");
        return "another run is measuring" + who + "; waiting until it ends, Ctrl-C gives up";
    }

    private static EngineChoice engine(String word) {
        for (EngineChoice choice : EngineChoice.values()) {
            if (choice.word().equals(word)) {
                return choice;
            }
        }
        throw new UsageException(
                "there is no engine \"" + word + "\"",
                "the engines are auto, io_uring and epoll",
                "name one of them, or leave --engine out");
    }

    private static String fileName(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9._-]+", "_");
        return plain.substring(0, Math.min(80, plain.length()));
    }

    /// Two runs may begin in the same second. Each gets its own folder.
    private static Path unused(String name) {
        Path folder = RUNS.resolve(name);
        for (int number = 2; Files.exists(folder); number++) {
            folder = RUNS.resolve(name + "-" + number);
        }
        return folder;
    }

    private static Path folder(@Nullable Path asked, String name) {
        Path folder = (asked != null ? asked : unused(name)).toAbsolutePath().normalize();
        try {
            Files.createDirectories(folder);
            // FileStore looks for the mount point, which a process in a chroot may not see.
            long free = folder.toFile().getUsableSpace();
            if (!Files.isWritable(folder)) {
                throw new IOException("the folder is not writable");
            }
            if (free < FREE_BYTES_MIN) {
                throw new IOException(
                        "only %d KB are free there, and a run may need %d"
                                .formatted(free >> 10, FREE_BYTES_MIN >> 10));
            }
            return folder;
        } catch (IOException e) {
            removeIfEmpty(folder);
            throw unwritable(folder, e);
        }
    }

    /// A run that ends before it has measured anything leaves no folder, nor an empty `runs`.
    private static void removeIfEmpty(Path folder) {
        try {
            Files.delete(folder);
            Path parent = folder.resolveSibling("");
            if (parent.endsWith(RUNS)) {
                Files.delete(parent);
            }
        } catch (IOException e) {
            // The folder has files, or was never created.
        }
    }

    private static EnvironmentException unwritable(Path folder, Exception cause) {
        String what = "the run's files cannot be kept in " + folder;
        if (cause instanceof AccessDeniedException) {
            return new EnvironmentException(
                    what,
                    "this user may not write there: perhaps an earlier run was started by root",
                    "choose another folder with --out, or give this user the folder");
        }
        return new EnvironmentException(
                what,
                cause instanceof FileSystemException problem && problem.getReason() != null
                        ? problem.getReason()
                        : cause instanceof FileSystemException
                                ? cause.getClass().getSimpleName()
                                : String.valueOf(cause.getMessage()),
                "free some space, or choose another folder with --out");
    }

    @Override
    public void close() {
        AtExit.first(() -> {});
        removeIfEmpty(context.folder());
        context.lock().close();
        if (measuring != null) {
            measuring.close();
        }
    }
}
