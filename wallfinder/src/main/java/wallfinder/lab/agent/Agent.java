package wallfinder.lab.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.Variables;
import wallfinder.observation.Counter;
import wallfinder.observation.Timeline;
import wallfinder.remote.Frames;
import wallfinder.sampling.SampleSink;

/// The program on the server's host. It does what the messages on its standard input ask for,
/// answers on its standard output, and ends with its input. It listens on no port. It writes no
/// file, except the logs of services that it starts and the files they need, which go with it.
public final class Agent {
    /// The other side sends a ping every two seconds. If none comes for so long, it is gone,
    /// although nothing has closed the connection.
    private static final Duration SILENCE_MAX = Duration.ofSeconds(30);

    /// Before the first message, the other side may connect to many hosts, and copy this program to
    /// them.
    private static final Duration FIRST_SILENCE_MAX = Duration.ofMinutes(5);

    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

    /// A JVM that does not answer may not delay the end for longer.
    private static final Duration WATCH_END_MAX = Duration.ofSeconds(6);

    private final InputStream in;
    private final OutputStream out;
    private final String version;
    private volatile Interruption stop = new Interruption();
    private volatile long heardNanos = System.nanoTime();
    private volatile Duration silenceMax = FIRST_SILENCE_MAX;
    private @Nullable AgentWork load; // of the thread that reads
    private @Nullable Variables variables; // of the same thread
    private final AgentServices services;
    private final AgentProfile profile;
    private volatile @Nullable WatchSubject watched;
    private volatile boolean watches;
    private volatile @Nullable Thread watching;

    private Agent(InputStream in, OutputStream out, String version, Path home) {
        this.services = new AgentServices(home, this::send);
        this.profile = new AgentProfile(this::processes, this::send);
        this.in = in;
        this.out = out;
        this.version = version;
    }

    /// Returns when the other side is gone. Threads may still run then.
    ///
    /// @param version that of this program
    /// @param home where this program is installed
    /// @param waits whether this side says nothing before the first message: nobody may listen yet
    /// @throws IOException if the other side sent something else, or reads no more
    public static void serve(
            InputStream in, OutputStream out, String version, Path home, boolean waits)
            throws IOException {
        Agent agent = new Agent(in, out, version, home);
        try {
            agent.serve(waits);
        } finally {
            agent.endWatch();
            agent.profile.close();
            agent.services.close();
        }
    }

    private void serve(boolean waits) throws IOException {
        Thread.ofPlatform().daemon().name("silence").start(this::endInSilence);
        byte[] first = waits ? Frames.read(in) : null;
        Frames.begin(out);
        new Message.Hello(Message.PROTOCOL, version).send(out);
        for (byte[] frame = first == null ? Frames.read(in) : first;
                frame != null;
                frame = Frames.read(in)) {
            heardNanos = System.nanoTime();
            silenceMax = SILENCE_MAX;
            answer(Message.read(frame), heardNanos);
        }
    }

    private void endInSilence() {
        while (System.nanoTime() - heardNanos < silenceMax.toNanos()) {
            LockSupport.parkNanos(LOOK_INTERVAL.toNanos());
        }
        endWatch();
        Runtime.getRuntime().halt(1);
    }

    /// A watch has switched on a log in a JVM that it looks at, and switches it off at its end.
    private void endWatch() {
        stop.request();
        Thread thread = watching;
        if (thread != null) {
            try {
                boolean _ = thread.join(WATCH_END_MAX);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void answer(Message message, long receivedNanos) throws IOException {
        switch (message) {
            case Message.Hello hello -> compare(hello);
            case Message.Ping(int number) ->
                    new Message.Pong(number, receivedNanos, System.nanoTime()).send(out);
            case Message.Watch(WatchSubject subject, WatchedLoad under) -> {
                watched = subject;
                begin(() -> new Watch(subject, under));
            }
            case Message.WatchServices(WatchedLoad under) ->
                    begin(() -> new Watch(services.watched(), under));
            case Message.Stop _ -> stop.request();
            case Message.Serve serve -> services.start(serve);
            case Message.Close _ ->
                    Thread.ofPlatform().daemon().name("close").start(() -> send(services.stop()));
            case Message.EndLife _ ->
                    Thread.ofPlatform().daemon().name("life").start(() -> send(services.endLife()));
            case Message.OfLoad(LoadMessage content) -> answer(content);
            case Message.OfProfile(ProfileMessage content) -> profile.answer(content);
            case Message.Watching _, Message.Sample _, Message.Halved _ ->
                    throw unexpected(message);
            case Message.Pong _, Message.Watched _, Message.Failed _ -> throw unexpected(message);
            case Message.Served _, Message.Lived _, Message.Closed _ -> throw unexpected(message);
        }
    }

    /// The processes of the service that this agent has watched last, or of those that it started.
    private long[] processes() {
        WatchSubject subject = watched;
        try (Watch watch =
                subject == null
                        ? new Watch(services.watched(), WatchedLoad.OF_OTHERS)
                        : new Watch(subject)) {
            return watch.processes();
        }
    }

    private void answer(LoadMessage message) throws IOException {
        switch (message) {
            case LoadMessage.Plan plan -> start(new AgentLoad(plan, variables(plan), this::send));
            case LoadMessage.Hold hold -> start(new AgentHold(hold, this::send));
            case LoadMessage.Begin(long nanos) when load != null -> load.begin(nanos);
            case LoadMessage.Finish(long drainNanos) when load != null -> load.finish(drainNanos);
            case LoadMessage.Alone asked ->
                    AgentLoad.alone(asked, variables(asked.plan()), this::send);
            default -> throw unexpected(message);
        }
    }

    /// A load goes on with the numbers after those of the last one, as on one host.
    private Variables variables(LoadMessage.Plan first) {
        if (variables == null) {
            variables = new Variables(first.ofAll());
        }
        return variables;
    }

    private void start(AgentWork next) throws IOException {
        if (load != null && !load.isOver() && !load.abandon()) {
            throw new IOException("an agent drives one load at a time");
        }
        load = next;
        next.start();
    }

    private static IOException unexpected(Object message) {
        return new IOException("an agent gets no " + message.getClass().getSimpleName());
    }

    private void compare(Message.Hello hello) throws IOException {
        Message.Failed differs = Versions.compare(hello, version);
        if (differs != null) {
            differs.send(out);
        }
    }

    private void begin(Supplier<Watch> asked) throws IOException {
        if (watches) {
            throw new IOException("an agent watches one service at a time");
        }
        watches = true;
        stop = new Interruption();
        watching = Thread.ofPlatform().daemon().name("watch").start(() -> watch(asked));
    }

    private void watch(Supplier<Watch> asked) {
        try {
            Message.Watched result = watched(asked);
            watches = false; // the other side may ask for the next watch as soon as it has this
            send(result);
        } catch (RuntimeException | Error e) {
            watches = false;
            send(failed("the watch", e));
        }
    }

    /// @param who stopped
    static Message.Failed failed(String who, Throwable why) {
        return switch (why) {
            case UsageException e -> new Message.Failed(true, e.what(), e.why(), e.todo());
            case EnvironmentException e -> new Message.Failed(false, e.what(), e.why(), e.todo());
            default ->
                    new Message.Failed(
                            false,
                            who + " stopped at a defect in Wallfinder itself",
                            why + " at " + Arrays.stream(why.getStackTrace()).limit(3).toList(),
                            "report it");
        };
    }

    private Message.Watched watched(Supplier<Watch> asked) {
        try (Watch watch = asked.get()) {
            Sending sending = new Sending(watch);
            Watch.Result result = watch.run(null, stop, new Unseen(), sending);
            return sending.watched(result);
        }
    }

    /// If nobody reads any more, this process ends with its input.
    private void send(Message message) {
        try {
            message.send(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sends each sample when it is taken, so that nothing of it is lost if this process is killed.
    private final class Sending implements SampleSink {
        private final Watch watch;
        private final ChangedValues changed = new ChangedValues();
        private List<Counter> counters = List.of();
        private List<Integer> found = List.of();

        Sending(Watch watch) {
            this.watch = watch;
        }

        @Override
        public void begin(List<Counter> all, long startNanos) {
            Timeline none = new Timeline(new long[0], List.of());
            send(
                    new Message.Watching(
                            watch.peer(none, HostFacts.epochNanos(startNanos)),
                            watch.describe(),
                            all,
                            startNanos));
        }

        @Override
        public void add(long nanos, double[] row) {
            send(changed.sample(nanos, row, false));
        }

        @Override
        public void addLast(long nanos, double[] row) {
            send(changed.sample(nanos, row, true));
        }

        @Override
        public void halve() {
            send(new Message.Halved());
        }

        @Override
        public void end(List<Counter> all, Set<Counter> inUse) {
            counters = all;
            found = ChangedValues.places(all, inUse);
        }

        Message.Watched watched(Watch.Result result) {
            Timeline none = new Timeline(new long[0], List.of());
            return new Message.Watched(
                    watch.peer(none, result.peer().startEpochNanos()), counters, found);
        }
    }

    /// The other host shows what happens.
    private static final class Unseen implements Progress {
        @Override
        public void say(String line) {}
    }
}
