package wallfinder.lab.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.ServiceSpec;
import wallfinder.lab.peer.Watched;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTestbed;
import wallfinder.lab.trial.WatchedTestbed;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.OwnFolder;
import wallfinder.linux.UserFolder;
import wallfinder.load.EngineChoice;
import wallfinder.observation.End;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.TwoHosts;

/// The services of an experiment that an agent starts for its peer, if the user of this host allows
/// it. They end with the agent.
final class AgentServices implements AutoCloseable {
    /// The user makes this file, under `~/.config` or `$XDG_CONFIG_HOME`.
    private static final String ALLOWED = "wallfinder/agents-start-services";

    /// The folder of the logs, in place of the name of a trial.
    private static final String LOGS = "services";

    private static final int LOG_BYTES_MAX = 256 << 10;

    /// A service may run as another user, and then reads its files by their names.
    private static final Set<PosixFilePermission> READABLE =
            PosixFilePermissions.fromString("rwx--x--x");

    private static final String START = "the start of the services";

    private final Path home;
    private final Consumer<Message> send;
    private @Nullable OwnFolder folder;
    private @Nullable RunLock lock;
    private @Nullable SandboxTestbed testbed;
    private @Nullable Thread starter;
    private Interruption stop = new Interruption();

    /// @param home where this program is installed
    AgentServices(Path home, Consumer<Message> send) {
        this.home = home;
        this.send = send;
    }

    /// Starts the services, and says when they are ready.
    ///
    /// @throws IOException if the services of this agent run already
    synchronized void start(Message.Serve asked) throws IOException {
        if (starter != null) {
            throw new IOException("an agent runs the services of one trial at a time");
        }
        stop = new Interruption();
        starter = Thread.ofPlatform().daemon().name("services").start(() -> serve(asked));
    }

    private void serve(Message.Serve asked) {
        long start = System.nanoTime();
        try {
            checkAllowed();
            SandboxTestbed opened = open(asked);
            EnvironmentException notReady =
                    asked.inspection().keepsLife() ? opened.life().notReady() : null;
            send.accept(
                    new Message.Served(
                            System.nanoTime() - start,
                            notReady == null ? null : Agent.failed(START, notReady),
                            notReady != null,
                            logsSoFar()));
        } catch (CancellationException e) {
            // The peer asked for the end meanwhile, and gets its answer.
        } catch (RuntimeException | Error e) {
            send.accept(new Message.Served(0, Agent.failed(START, e), false, logsSoFar()));
        }
    }

    private static void checkAllowed() {
        Path allowed = UserFolder.config().resolve(ALLOWED);
        if (!Files.exists(allowed)) {
            throw new EnvironmentException(
                    "no service can be started here",
                    "this user has not allowed it: there is no file " + allowed,
                    "make it there: mkdir -p %s && touch %s"
                            .formatted(allowed.getParent(), allowed));
        }
    }

    private SandboxTestbed open(Message.Serve asked) {
        Experiment experiment =
                withFiles(
                        ExperimentFile.parse(asked.experiment(), "the experiment", "far"),
                        asked.files());
        TwoHosts hosts = new TwoHosts(End.SERVER, asked.server(), asked.client());
        Path files = asked.home().isEmpty() ? home : Path.of(asked.home());
        RunContext context =
                new RunContext(files, lock(), folder(), EngineChoice.EPOLL, stop, line -> {});
        SandboxTestbed opened =
                SandboxTestbed.serverEnd(experiment, context, LOGS, hosts, asked.inspection());
        synchronized (this) {
            testbed = opened;
        }
        stop.check();
        return opened;
    }

    /// Keeps the files here, and names them in the environments by their paths here.
    private Experiment withFiles(Experiment experiment, Map<String, String> files) {
        if (files.isEmpty()) {
            return experiment;
        }
        Map<String, String> here = new HashMap<>();
        try {
            Files.setPosixFilePermissions(folder(), READABLE);
            for (Map.Entry<String, String> file : files.entrySet()) {
                Path kept = folder().resolve("file-" + here.size());
                Files.writeString(kept, file.getValue());
                here.put(file.getKey(), kept.toString());
            }
        } catch (IOException e) {
            throw noPlace("a file of theirs", e);
        }
        Experiment changed = experiment;
        for (ServiceSpec spec : experiment.services()) {
            Map<String, String> environment = new LinkedHashMap<>(spec.env());
            environment.replaceAll((name, value) -> here.getOrDefault(value, value));
            changed = changed.with(spec.with(spec.command(), spec.jvm(), environment));
        }
        return changed;
    }

    /// Ends the watch of the service that [Message.Serve] asked for.
    Message endLife() {
        try {
            SandboxTestbed running;
            synchronized (this) {
                running = testbed;
            }
            if (running == null) {
                throw new IllegalStateException("no services run");
            }
            return new Message.Lived(running.life().end());
        } catch (RuntimeException | Error e) {
            return Agent.failed("the watch of a service from its start on", e);
        }
    }

    private synchronized RunLock lock() {
        RunLock held = lock;
        if (held == null) {
            held = RunLock.hold("agent-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
            lock = held;
        }
        return held;
    }

    private synchronized Path folder() {
        try {
            OwnFolder made = folder;
            if (made == null) {
                made = OwnFolder.make("wallfinder-agent-");
                folder = made;
            }
            return made.path();
        } catch (IOException e) {
            throw noPlace("their logs", e);
        }
    }

    private static EnvironmentException noPlace(String what, IOException why) {
        return new EnvironmentException(
                "the services cannot be started",
                "there is no place for %s (%s)".formatted(what, why),
                "make the folder for temporary files writable, and free some space there");
    }

    /// @throws EnvironmentException if no services run
    synchronized Watched watched() {
        if (testbed == null) {
            throw new EnvironmentException(
                    "no services can be watched", "this agent has started none", "report it");
        }
        return new WatchedTestbed(testbed);
    }

    /// Stops the services in order.
    Message.Closed stop() {
        stop.request();
        Message.Failed failed = null;
        try {
            join();
            closeTestbed();
        } catch (RuntimeException | Error e) {
            failed = Agent.failed("the end of the services", e);
        }
        Path logs = logs();
        return new Message.Closed(failed, ends(logs));
    }

    /// Empty before the first service.
    private synchronized String logsSoFar() {
        return folder == null ? "" : logs().toString();
    }

    private Path logs() {
        return folder().resolve("logs").resolve(LOGS);
    }

    /// The end of each log. It is a copy for the user, so a log that cannot be read is left out.
    private static Map<String, String> ends(Path folder) {
        Map<String, String> ends = new TreeMap<>();
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(folder, "*.log")) {
            for (Path log : logs) {
                byte[] all = Files.readAllBytes(log);
                int from = Math.max(0, all.length - LOG_BYTES_MAX);
                ends.put(
                        String.valueOf(log.getFileName()),
                        new String(all, from, all.length - from, StandardCharsets.UTF_8));
                Files.delete(log);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // No service had started.
        }
        return ends;
    }

    private void join() {
        Thread thread;
        synchronized (this) {
            thread = starter;
            starter = null;
        }
        try {
            if (thread != null) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeTestbed() {
        SandboxTestbed running;
        synchronized (this) {
            running = testbed;
            testbed = null;
        }
        if (running != null) {
            running.close();
        }
    }

    /// Kills the services: their peer is gone, and nothing may outlive it by more than a moment.
    @Override
    public void close() {
        SandboxTestbed running;
        synchronized (this) {
            running = testbed;
        }
        if (running != null) {
            running.kill();
        }
        stop();
        if (lock != null) {
            lock.close();
        }
        if (folder != null) {
            folder.close();
        }
    }
}
