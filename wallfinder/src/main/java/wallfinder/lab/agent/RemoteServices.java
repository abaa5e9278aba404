package wallfinder.lab.agent;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ServiceSpec;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Inspection;
import wallfinder.lab.trial.Life;
import wallfinder.lab.trial.ServiceHost;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.End;
import wallfinder.remote.AgentProcess;
import wallfinder.remote.ProgramFolder;
import wallfinder.remote.RemoteProgram;
import wallfinder.remote.SshLink;
import wallfinder.remote.SshTarget;
import wallfinder.sandbox.TwoHosts;

/// Starts the services of an experiment on another host, trial after trial, by one agent, which
/// also watches them.
public final class RemoteServices implements ServiceHost {
    /// The creation of cgroups and processes on a busy host, beside the services' own start.
    private static final Duration START_MORE = Duration.ofSeconds(60);

    /// SIGTERM, then SIGKILL, for each service.
    private static final Duration STOP_MAX = Duration.ofSeconds(60);

    /// Any port will do: nothing is sent to it.
    private static final int DISCARD = 9;

    private static final Pattern LOG_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*\\.log");

    private final RemoteWatch agent;
    private final SshTarget target;
    private final RemoteProgram program;
    private final TwoHosts hosts;
    private final Progress progress;

    private RemoteServices(
            RemoteWatch agent,
            SshTarget target,
            RemoteProgram program,
            TwoHosts hosts,
            Progress progress) {
        this.agent = agent;
        this.target = target;
        this.program = program;
        this.hosts = hosts;
        this.progress = progress;
    }

    /// Connects to the host, and copies this program there if it is missing.
    ///
    /// @param home where this program is installed
    /// @param version of this program
    /// @throws EnvironmentException if the host does not allow it
    public static RemoteServices connect(
            SshTarget target, Path home, String version, Progress progress) {
        SshLink link = SshLink.open(target, RemoteProgram.QUESTIONS);
        try {
            RemoteProgram program = RemoteCommand.copied(link, ProgramFolder.of(home), progress);
            InetSocketAddress server = HostTestbed.resolve(address(link), DISCARD);
            String there = server.getAddress().getHostAddress();
            TwoHosts hosts = new TwoHosts(End.CLIENT, there, ownAddress(server));
            AgentProcess process = new AgentProcess.BySsh(link, program.start("agent"));
            RemoteWatch agent = RemoteWatch.ofServices(process, link::close, version, progress);
            return new RemoteServices(agent, target, program, hosts, progress);
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    /// The address of the other host, as its sshd sees it.
    private static String address(SshLink link) {
        String address = link.fact("address");
        return address.isEmpty() ? link.target().host() : address;
    }

    /// The address from which this host reaches the other one.
    private static String ownAddress(InetSocketAddress server) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            return socket.getLocalAddress().getHostAddress();
        } catch (SocketException e) {
            throw new EnvironmentException(
                    "the services on "
                            + server.getAddress().getHostAddress()
                            + " cannot be reached",
                    "this host has no route to that address (%s)".formatted(e.getMessage()),
                    "see ip route get " + server.getAddress().getHostAddress());
        }
    }

    @Override
    public TwoHosts hosts() {
        return hosts;
    }

    @Override
    public Started start(
            Experiment experiment, String name, Inspection inspection, RunContext context) {
        agent.check();
        Duration longest =
                experiment.services().stream()
                        .map(ServiceSpec::readyWithin)
                        .reduce(START_MORE, Duration::plus);
        Message.Serve serve =
                new Message.Serve(
                        ServicesText.of(experiment),
                        home(ServicesText.filesOfHome(experiment, context.home()), context.home()),
                        filesOfRun(experiment, context.folder()),
                        inspection,
                        hosts.server(),
                        hosts.client());
        Path logs = context.folder().resolve("logs").resolve(name);
        try {
            return new Running(
                    agent.serve(serve, logs, longest, context.interruption()::isRequested), logs);
        } catch (RuntimeException e) {
            stop(logs);
            throw e;
        }
    }

    /// The contents of the run's files that an environment names, such as a measured profile.
    private static Map<String, String> filesOfRun(Experiment experiment, Path folder) {
        Map<String, String> files = new TreeMap<>();
        for (ServiceSpec spec : experiment.services()) {
            for (String value : spec.env().values()) {
                if (value.startsWith(folder + "/")) {
                    files.put(value, text(Path.of(value)));
                }
            }
        }
        return files;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "a service on another host cannot get " + file,
                    String.valueOf(e.getMessage()),
                    "see whether the file is still there");
        }
    }

    /// Stops the services and keeps the end of their logs, as those of services on this host.
    private void stop(Path logs) {
        Message.Closed closed = agent.stopServices(STOP_MAX);
        if (closed != null) {
            closed.logs().forEach((name, text) -> keep(logs, name, text));
        }
    }

    /// A log that cannot be kept is no reason to lose a measurement.
    private static void keep(Path folder, String name, String text) {
        if (!LOG_NAME.matcher(name).matches()) {
            return;
        }
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            // The disk may be full.
        }
    }

    /// A file may change between two trials, as in a study of two builds.
    private String home(SortedSet<String> names, Path home) {
        return names.isEmpty()
                ? ""
                : program.with(
                        ProgramFolder.ofFiles(home, names),
                        () ->
                                progress.say(
                                        "copying the files of the services to %s, once"
                                                .formatted(target)));
    }

    @Override
    public String toString() {
        return target.toString();
    }

    @Override
    public void close() {
        agent.close();
    }

    private final class Running implements Started, Life {
        private final RemoteWatch.Begun begun;
        private final Path logs;

        Running(RemoteWatch.Begun begun, Path logs) {
            this.begun = begun;
            this.logs = logs;
        }

        @Override
        public double seconds() {
            return begun.nanos() / 1e9;
        }

        @Override
        public Life life() {
            return this;
        }

        @Override
        public @Nullable EnvironmentException notReady() {
            return begun.notReady();
        }

        @Override
        public Lived end() {
            return agent.endLife();
        }

        @Override
        public ServerSide side() {
            return agent;
        }

        @Override
        public void close() {
            stop(logs);
        }
    }
}
