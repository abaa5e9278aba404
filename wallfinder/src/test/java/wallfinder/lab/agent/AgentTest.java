package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.Tree;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.live.Gauge;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.load.EngineChoice;
import wallfinder.observation.End;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Timeline;
import wallfinder.remote.AgentProcess;
import wallfinder.remote.Frames;

/// The agent as a process of its own on this host, so both sides have the same clock.
@Tag("slow")
@Timeout(120)
class AgentTest {
    private static final Duration BOUND = Duration.ofSeconds(60);

    /// That of the pom.xml, as the compiler writes it into the module.
    private static final String VERSION =
            AgentTest.class.getModule().getDescriptor().rawVersion().orElseThrow();

    private Process agent;
    private Conversation conversation;

    @BeforeEach
    void start() throws IOException {
        start("agent");
        listen();
    }

    private void listen() {
        conversation = new Conversation(agent.getInputStream());
        conversation.start();
    }

    private void start(String... command) throws IOException {
        List<String> words = new ArrayList<>();
        words.addAll(
                List.of(
                        java("java"),
                        "--enable-native-access=wallfinder",
                        "-XX:+UseSerialGC",
                        "-p",
                        Tree.ROOT.resolve("wallfinder/target/modules").toString(),
                        "-m",
                        "wallfinder/wallfinder.cli.Main"));
        words.addAll(List.of(command));
        agent = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /// Whether a thread of the agent waits for its standard input.
    private boolean waitsForInput() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/%d/task".formatted(agent.pid())))) {
            return threads.anyMatch(thread -> {
                try {
                    return Files.readString(thread.resolve("syscall")).matches("(?s)\\d+ 0x0 .*");
                } catch (IOException e) {
                    return false; // the thread has ended
                }
            });
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        agent.destroyForcibly().waitFor();
    }

    private void send(Message message) throws IOException {
        message.send(agent.getOutputStream());
    }

    /// Nobody may listen to a pod yet, and what it said would be lost.
    @Test
    void an_agent_in_a_pod_says_nothing_before_the_first_message() throws Exception {
        end();
        start("agent", "--wait");
        long end = System.nanoTime() + BOUND.toNanos();
        while (!waitsForInput()) {
            assertThat(System.nanoTime()).as("it never read").isLessThan(end);
        }
        assertThat(agent.getInputStream().available()).isZero();
        listen();
        send(new Message.Hello(Message.PROTOCOL, VERSION));
        assertThat(conversation.hello(BOUND))
                .isEqualTo(new Message.Hello(Message.PROTOCOL, VERSION));
    }

    private static String java(String program) {
        return Path.of(System.getProperty("java.home"), "bin", program).toString();
    }

    /// Where a JVM writes its logs.
    private static String logs(Process jvm) throws IOException {
        Process jcmd =
                new ProcessBuilder(java("jcmd"), Long.toString(jvm.pid()), "VM.log", "list")
                        .redirectErrorStream(true)
                        .start();
        return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void a_watch_whose_other_side_is_gone_leaves_no_log_in_the_jvm_that_it_watched()
            throws Exception {
        List<String> service =
                List.of(java("java"), "-XX:+UseZGC", "-m", "jdk.httpserver", "-p", "0");
        Process jvm = new ProcessBuilder(service).start();
        try {
            assertThat(conversation.hello(BOUND)).isNotNull();
            send(new Message.Hello(Message.PROTOCOL, VERSION));
            // It prints its port when it serves.
            assertThat(jvm.getInputStream().read()).isPositive();
            send(new Message.Watch(new WatchSubject.OfPid(jvm.pid()), WatchedLoad.OURS));
            conversation.watching(BOUND);
            long end = System.nanoTime() + BOUND.toNanos();
            while (!logs(jvm).contains("/wallfinder-")) {
                assertThat(System.nanoTime()).as("it switched on no log").isLessThan(end);
            }
            agent.getOutputStream().close();
            assertThat(agent.waitFor(BOUND)).isTrue();
            assertThat(logs(jvm)).contains("stdout").doesNotContain("/wallfinder-");
        } finally {
            jvm.destroyForcibly().waitFor();
        }
    }

    @Test
    void samples_come_while_they_are_taken_and_are_complete_at_the_end() throws Exception {
        long before = System.nanoTime();
        try (ServerSocket service = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(conversation.hello(BOUND))
                    .isEqualTo(new Message.Hello(Message.PROTOCOL, VERSION));
            send(new Message.Hello(Message.PROTOCOL, VERSION));
            send(
                    new Message.Watch(
                            new WatchSubject.OfPort(service.getLocalPort()), WatchedLoad.OURS));
            Message.Watching watching = conversation.watching(BOUND);
            assertThat(watching.described())
                    .contains("process " + ProcessHandle.current().pid())
                    .contains("port " + service.getLocalPort());
            awaitSamples(10);
            for (int i = 0; i < ClockLine.BATCH; i++) {
                assertThat(conversation.ping(agent.getOutputStream(), BOUND)).isTrue();
            }
            assertThat(conversation.hasLastSample()).isFalse();
            send(new Message.Stop());
            conversation.awaitEnd(BOUND);
            assertThat(conversation.hasLastSample()).isTrue();
        }
        assertThat(conversation.isLost()).isFalse();
        Timeline timeline = conversation.timeline();
        assertThat(timeline.nanos()).isSorted().hasSizeGreaterThan(10);
        assertThat(timeline.all(ProcessFigure.CPU, End.SERVER))
                .singleElement()
                .satisfies(cpu -> assertThat(cpu.growth()).isPositive());
        assertThat(conversation.startNanos()).isBetween(before, System.nanoTime());
        // Both processes have one clock, so the true difference is known.
        ClockLine clocks = ClockLine.of(conversation.trips());
        assertThat(Math.abs(clocks.offsetNanos())).isLessThan(clocks.boundNanos() + 1_000);
        agent.getOutputStream().close();
        assertThat(agent.waitFor(BOUND)).isTrue();
        assertThat(agent.exitValue()).isZero();
    }

    @Test
    void one_agent_watches_again_and_the_live_view_shows_what_it_sees() throws Exception {
        Message.Watch watch =
                new Message.Watch(
                        new WatchSubject.OfPid(ProcessHandle.current().pid()),
                        WatchedLoad.OF_OTHERS);
        for (int number = 1; number <= 3; number++) {
            conversation.renew();
            send(watch);
            assertThat(conversation.watching(BOUND)).isNotNull();
            assertThat(conversation.trips()).isEmpty();
            awaitSamples(3);
            assertThat(conversation.ping(agent.getOutputStream(), BOUND)).isTrue();
            Moment shown =
                    Watch.moment(
                            conversation.peer(),
                            conversation.recent(),
                            Planned.unknown(System.nanoTime()));
            assertThat(shown.doing()).endsWith(" on " + conversation.peer().host());
            assertThat(shown.gauges()).extracting(Gauge::name).containsExactly("threads", "memory");
            assertThat(shown.gauges()).allMatch(gauge -> gauge.value() > 1);
            assertThat(shown.threads()).isNotEmpty();
            send(new Message.Stop());
            conversation.awaitEnd(BOUND);
            assertThat(conversation.isLost()).isFalse();
            assertThat(conversation.hasEnded()).isFalse();
            assertThat(conversation.trips()).hasSize(1);
        }
    }

    /// Whether a thread of the agent takes samples.
    private boolean samples() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/%d/task".formatted(agent.pid())))) {
            return threads.anyMatch(thread -> {
                try {
                    return Files.readString(thread.resolve("comm")).strip().equals("sampler");
                } catch (IOException e) {
                    return false; // the thread has ended
                }
            });
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void a_watch_ends_when_it_is_asked_to_although_nobody_waits_for_it() throws Exception {
        end(); // its messages are heard already
        start("agent");
        WatchSubject self = new WatchSubject.OfPid(ProcessHandle.current().pid());
        try (RemoteWatch watch =
                RemoteWatch.start(
                        new Here(agent),
                        () -> {},
                        self,
                        0,
                        WatchedLoad.OURS,
                        VERSION,
                        line -> {})) {
            for (int number = 1; number <= 2; number++) {
                watch.begin();
                assertThat(samples()).isTrue();
                watch.requestEnd();
                long end = System.nanoTime() + BOUND.toNanos();
                while (samples()) {
                    assertThat(System.nanoTime()).as("it samples on").isLessThan(end);
                }
                Timeline seen = watch.endAlone();
                assertThat(seen.all(ProcessFigure.BUSIEST_THREAD, End.SERVER)).hasSize(1);
            }
        }
    }

    private void awaitSamples(int count) {
        while (conversation.timeline().nanos().length < count) {
            assertThat(conversation.isOver()).isFalse();
            Thread.onSpinWait();
        }
    }

    @Test
    void an_agent_ends_with_its_input_although_it_watches() throws Exception {
        send(
                new Message.Watch(
                        new WatchSubject.OfPid(ProcessHandle.current().pid()),
                        WatchedLoad.OF_OTHERS));
        assertThat(conversation.watching(BOUND)).isNotNull();
        awaitSamples(1);
        agent.getOutputStream().close();
        assertThat(agent.waitFor(Duration.ofSeconds(5))).isTrue();
        while (!conversation.isOver()) {
            Thread.onSpinWait();
        }
        assertThat(conversation.isLost()).as("its watch ended first").isFalse();
        assertThat(conversation.timeline().nanos()).isNotEmpty();
    }

    @Test
    void an_agent_of_another_version_refuses() throws Exception {
        send(new Message.Hello(Message.PROTOCOL + 1, "9.9"));
        assertThat(conversation.watching(BOUND)).isNull();
        assertThat(conversation.failed().what()).contains("different versions");
        assertThat(conversation.failed().why()).contains("9.9", "protocol 2");
    }

    @Test
    void a_service_that_cannot_be_watched_is_an_error_in_three_parts() throws Exception {
        send(new Message.Watch(new WatchSubject.OfPort(1), WatchedLoad.OF_OTHERS));
        assertThat(conversation.watching(BOUND)).isNull();
        Message.Failed failed = conversation.failed();
        assertThat(failed.usage()).isFalse();
        assertThat(failed.what()).contains("port 1");
        assertThat(List.of(failed.why(), failed.todo())).doesNotContain("");
    }

    @Test
    void an_agent_watches_again_after_a_watch_that_failed() throws Exception {
        send(new Message.Watch(new WatchSubject.OfPort(1), WatchedLoad.OURS));
        assertThat(conversation.watching(BOUND)).isNull();
        assertThat(conversation.takeFailed()).isNotNull();
        conversation.renew();
        WatchSubject self = new WatchSubject.OfPid(ProcessHandle.current().pid());
        send(new Message.Watch(self, WatchedLoad.ONE_AT_A_TIME));
        assertThat(conversation.watching(BOUND)).isNotNull();
        awaitSamples(20);
        send(new Message.Stop());
        conversation.awaitEnd(BOUND);
        assertThat(conversation.isLost()).isFalse();
        // Samples of a load are 50 ms apart at least.
        long[] nanos = conversation.timeline().nanos();
        assertThat(
                        IntStream.range(1, 20)
                                .mapToLong(i -> nanos[i] - nanos[i - 1])
                                .min()
                                .orElseThrow())
                .isLessThan(45_000_000);
    }

    /// A generator on this host.
    private record Here(Process process) implements AgentProcess {
        @Override
        public String where() {
            return "here";
        }

        @Override
        public String whyEnded(String seen) {
            return seen;
        }

        @Override
        public String ifNotStarted() {
            return "";
        }
    }

    private RemoteGenerator generator() throws Exception {
        end(); // its messages are heard already
        start("agent");
        RemoteGenerator generator = new RemoteGenerator(new Here(agent));
        generator.greet(VERSION);
        return generator;
    }

    /// Otherwise the keys of a measurement would be those of its warm-up, which a cache has.
    @Test
    void a_load_goes_on_with_the_numbers_after_those_of_the_last_one() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        InetAddress loopback = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    asked.add(exchange.getRequestURI().getPath());
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                });
        server.start();
        RemoteGenerator generator = generator();
        try {
            String url = "http://127.0.0.1:%d".formatted(server.getAddress().getPort());
            LoadSpec.Http http = Gets.of(url, "/{counter}");
            LoadMessage.Plan plan =
                    LoadSplit.of(http, List.of(), List.of("here"), 1, EngineChoice.EPOLL, false)
                            .getFirst();
            assertThat(generator.alone(plan, BOUND)).isNotNull();
            int first = asked.size();
            assertThat(generator.alone(plan, BOUND)).isNotNull();
            assertThat(asked).hasSizeGreaterThan(first).doesNotHaveDuplicates().contains("/1");
        } finally {
            generator.stop();
            server.stop(0);
        }
    }

    @Test
    void a_generator_whose_result_does_not_come_in_time_is_lost() throws Exception {
        RemoteGenerator generator = generator();
        assertThat(generator.lostBecause()).isNull();
        generator.awaitEnd(Duration.ZERO);
        assertThat(generator.isLost()).isTrue();
        assertThat(generator.lostBecause()).contains("did not come in time");
        generator.stop();
    }

    /// The other generators have ended because of it.
    @Test
    @Tag("long")
    void a_generator_that_was_silent_stays_lost_although_it_speaks_again() throws Exception {
        RemoteGenerator generator = generator();
        signal("STOP");
        while (!generator.isLost()) {
            Thread.onSpinWait();
        }
        long heard = generator.heardNanos();
        signal("CONT");
        while (generator.heardNanos() == heard) {
            Thread.onSpinWait();
        }
        generator.awaitEnd(Duration.ZERO);
        assertThat(generator.lostBecause()).contains("it has sent nothing for 1");
        generator.stop();
    }

    private void signal(String name) throws Exception {
        String pid = Long.toString(agent.pid());
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
    }

    @Test
    void text_before_the_first_message_is_skipped_and_anything_else_is_refused() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write("\0\0wall Welcome to this host\n".getBytes(StandardCharsets.UTF_8));
        Frames.begin(out);
        new Message.Ping(5).send(out);
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        Frames.awaitBegin(in);
        assertThat(Message.read(Frames.read(in))).isEqualTo(new Message.Ping(5));
        assertThat(Frames.read(in)).isNull();
        byte[] huge = {0x7f, 0, 0, 0, 1};
        assertThatThrownBy(() -> Frames.read(new ByteArrayInputStream(huge)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("at most 4,194,304");
    }
}
