package wallfinder.lab.session;

import java.io.IOException;
import java.io.UncheckedIOException;
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

/// One run of a command that measures: its folder, its lock, its interruption.
public final class Session implements AutoCloseable {
    private static final DateTimeFormatter FOLDER_TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /// A run's files take a few megabytes; with less than this they would end in the middle.
    private static final long FREE_BYTES_MIN = 16L << 20;

    private static final Duration WAIT_MAX = Duration.ofHours(2);

    /// After Ctrl-C a run has this long to end in order and to tell what it measured.
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

    /// What the command line says about a run as such.
    ///
    /// @param home where Wallfinder is installed
    /// @param out the run's folder, or null for a new one under `runs`
    /// @param engine `auto`, `io_uring` or `epoll`
    public record Options(Path home, @Nullable Path out, String engine) {}

    /// Opens a run. If another one measures, it waits for its end.
    ///
    /// @param command the command line as it was given
    /// @param name the experiment's name, or the host of the URL
    public static Session open(String command, String name, Options options, Progress progress) {
        EngineChoice engine = engine(options.engine());
        MeasuringLock measuring = MeasuringLock.await(WAIT_MAX, () -> progress.say(waiting()));
        return open(command, name, options, progress, engine, measuring);
    }

    /// Opens a run that drives no load, so that others may measure meanwhile.
    public static Session openWithoutLoad(
            String command, String name, Options options, Progress progress) {
        return open(command, name, options, progress, engine(options.engine()), null);
    }

    private static Session open(
            String command,
            String name,
            Options options,
            Progress progress,
            EngineChoice engine,
            @Nullable MeasuringLock measuring) {
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

    /// Runs when the process is asked to end: the measurement stops, and what it gave is still
    /// told.
    private static void endInOrder(Interruption interruption, Thread main) {
        endingInOrder = true;
        interruption.request();
        try {
            main.join(END_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Ends the program. If it was asked to end, it is ending already with the signal's own code,
    /// and waits for the calling thread, which then must not wait for it in turn.
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

    /// All that the run did, ready to be told.
    ///
    /// @param experiment the experiment as it was written, or null
    public RunRecord record(
            List<RunRecord.Trial> trials,
            List<RunRecord.Rung> ladder,
            @Nullable String ended,
            @Nullable String experiment) {
        return new RunRecord(
                command,
                name,
                startedAt.toString(),
                HostFacts.read(),
                trials,
                ladder,
                ended,
                experiment);
    }

    /// Writes the run's folder.
    ///
    /// @throws EnvironmentException if there is no space, or no right
    public void keep(RunRecord record) {
        try {
            RunFolder.write(record, context.folder());
        } catch (IOException | UncheckedIOException e) {
            throw unwritable(context.folder(), e);
        }
    }

    /// The same, and what a watch saw, for a load on another host.
    public void keep(RunRecord record, Peer peer) {
        keep(record);
        try {
            PeerJson.write(peer, context.folder().resolve(PeerJson.FILE));
        } catch (IOException | UncheckedIOException e) {
            throw unwritable(context.folder(), e);
        }
    }

    private static String waiting() {
        String who = MeasuringLock.holder().map(pid -> " (process " + pid + ")").orElse("");
        return "another run is measuring" + who + "; waiting for its end, Ctrl-C gives up";
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

    /// Two short runs may begin in the same second: each keeps its own folder.
    private static Path unused(String name) {
        Path folder = Path.of("runs", name);
        for (int number = 2; Files.exists(folder); number++) {
            folder = Path.of("runs", name + "-" + number);
        }
        return folder;
    }

    private static Path folder(@Nullable Path asked, String name) {
        Path folder = (asked != null ? asked : unused(name)).toAbsolutePath().normalize();
        try {
            Files.createDirectories(folder);
            long free = Files.getFileStore(folder).getUsableSpace();
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

    /// A run that ended before there was anything to keep leaves no folder.
    private static void removeIfEmpty(Path folder) {
        try {
            Files.delete(folder);
        } catch (IOException e) {
            // There is something in it, or it never was.
        }
    }

    private static EnvironmentException unwritable(Path folder, Exception cause) {
        return new EnvironmentException(
                "the run's files cannot be kept in " + folder,
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
