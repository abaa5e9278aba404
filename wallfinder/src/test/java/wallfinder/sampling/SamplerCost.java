package wallfinder.sampling;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Sandboxes;
import wallfinder.sandbox.Service;

/// Measures what sampling costs, for `bench/sampling`: `SamplerCost SECONDS CONNECTIONS THREADS`.
/// It opens the connections between two JVMs in two namespaces, with so many threads in the server,
/// and runs all readers of both ends.
final class SamplerCost {
    /// With more threads, sampling may take twice as much.
    private static final int THREADS_USUAL = 500;

    private static final double SHARE_MAX = 0.01;
    private static final int PORT = 9_000;
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final Duration CONNECTED_MAX = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(100);

    /// At the first the caches still have everything, the last is the longest that the sampler
    /// chooses.
    private static final List<Duration> INTERVALS =
            List.of(Duration.ofMillis(5), INTERVAL, Duration.ofMillis(400));

    private static final ThreadMXBean CLOCKS = ManagementFactory.getThreadMXBean();

    /// By then the sampler's own code is compiled.
    private static final int WARM_SECONDS = 10;

    private SamplerCost() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "server" -> server(Integer.parseInt(arguments[1]));
            case "client" -> client(arguments[1], Integer.parseInt(arguments[2]));
            default ->
                    measure(
                            Integer.parseInt(arguments[0]),
                            Integer.parseInt(arguments[1]),
                            Integer.parseInt(arguments[2]));
        }
    }

    private static void server(int threads) throws IOException {
        for (int i = 0; i < threads; i++) {
            Thread.ofPlatform()
                    .daemon()
                    .start(() -> {
                        while (true) {
                            LockSupport.parkNanos(100_000_000);
                        }
                    });
        }
        List<SocketChannel> open = new ArrayList<>();
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(PORT), 4096);
            System.out.println("listens");
            while (true) {
                open.add(server.accept());
            }
        }
    }

    private static void client(String host, int count) throws IOException {
        List<SocketChannel> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            open.add(SocketChannel.open(new InetSocketAddress(host, PORT)));
        }
        System.out.println("connected " + open.size());
        LockSupport.park();
    }

    private static ServiceSpec service(String name, String arguments, String ready) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String command =
                "%s -XX:+UseSerialGC -Xmx128m -cp %s %s %s"
                        .formatted(
                                java,
                                System.getProperty("java.class.path"),
                                SamplerCost.class.getName(),
                                arguments);
        return new ServiceSpec(
                name,
                command,
                null,
                Map.of(),
                null,
                null,
                null,
                Limits.NONE,
                new Readiness.Log(ready),
                ServiceSpec.READY_WITHIN_DEFAULT,
                Map.of());
    }

    private static void measure(int seconds, int connections, int threads) throws Exception {
        Path folder = Files.createTempDirectory("sampling");
        String run = "sampling-" + ProcessHandle.current().pid();
        try (RunLock lock = RunLock.hold(run);
                Sandbox sandbox =
                        Sandbox.open(
                                new SandboxSpec(Map.of(), Map.of()),
                                lock,
                                folder,
                                CpuPlan.split(1));
                SockDiag server = sandbox.inside(End.SERVER, SockDiag::open);
                SockDiag client = sandbox.inside(End.CLIENT, SockDiag::open)) {
            Map<End, SockDiag> sockets = Map.of(End.SERVER, server, End.CLIENT, client);
            Map<End, Service> services =
                    Map.of(
                            End.SERVER,
                            Sandboxes.start(
                                    sandbox, service("server", "server " + threads, "listens")),
                            End.CLIENT,
                            sandbox.launch(
                                    End.CLIENT,
                                    service(
                                            "client",
                                            "client {server} " + connections,
                                            "connected"),
                                    Map.of()));
            awaitConnected(services.get(End.CLIENT));
            measureEach(readers(sandbox, sockets, services));
            measureEachAmongAll(readers(sandbox, sockets, services), WARM_SECONDS);
            for (Duration interval : INTERVALS) {
                measureAt(interval, List.copyOf(readers(sandbox, sockets, services).values()));
            }
            List<Reader> all = List.copyOf(readers(sandbox, sockets, services).values());
            double share = measureTogether(all, seconds);
            double most = threads > THREADS_USUAL ? 2 * SHARE_MAX : SHARE_MAX;
            if (share > most) {
                System.out.printf("that is more than %.0f %%%n", most * 100);
                System.exit(1);
            }
        }
    }

    private static void awaitConnected(Service client) {
        long end = System.nanoTime() + CONNECTED_MAX.toNanos();
        while (!String.join("", client.lastLines(1)).startsWith("connected")) {
            if (System.nanoTime() > end || !client.alive()) {
                throw new IllegalStateException("the client has not connected");
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    /// The readers of a trial in a sandbox whose load is a command: no trial has more.
    private static Map<String, Reader> readers(
            Sandbox sandbox, Map<End, SockDiag> sockets, Map<End, Service> services) {
        Map<String, Reader> readers = new LinkedHashMap<>();
        WatchedEnd server =
                new WatchedEnd.Server(
                        network(sandbox, End.SERVER),
                        sockets.get(End.SERVER),
                        Listeners.Places.of(List.of(PORT)),
                        portRange(sandbox, End.SERVER),
                        false,
                        List.of(program(End.SERVER, services.get(End.SERVER))));
        WatchedEnd client =
                new WatchedEnd.Command(
                        network(sandbox, End.CLIENT),
                        sockets.get(End.CLIENT),
                        portRange(sandbox, End.CLIENT),
                        program(End.CLIENT, services.get(End.CLIENT)));
        name("SERVER", server, readers);
        name("CLIENT", client, readers);
        return readers;
    }

    private static void name(String end, WatchedEnd watched, Map<String, Reader> named) {
        watched.readers()
                .forEach(reader ->
                        named.put(
                                end + " " + reader.getClass().getSimpleName().replace("Reader", ""),
                                reader));
    }

    private static WatchedEnd.Network network(Sandbox sandbox, End end) {
        return new WatchedEnd.Network(end, sandbox.procNet(end), CpuPlan.allowed());
    }

    private static LocalPortRange portRange(Sandbox sandbox, End end) {
        return sandbox.inside(end, () -> LocalPortRange.read(PROC_SYS_NET));
    }

    private static WatchedProgram program(End end, Service service) {
        return new WatchedProgram.Started(
                end,
                service.name(),
                service::pid,
                service.log().toFile(),
                service.logStart(),
                service.cgroup(),
                new JvmAsking.Never());
    }

    private static void measureEach(Map<String, Reader> readers) {
        readers.forEach((name, reader) -> {
            double[] values = new double[reader.counters().size()];
            for (int i = 0; i < 2_000; i++) {
                reader.read(values, 0);
            }
            long before = cpuNanos();
            for (int i = 0; i < 2_000; i++) {
                reader.read(values, 0);
            }
            long warm = (cpuNanos() - before) / 2_000;
            long full = reader instanceof Paced paced ? full(reader, paced) : 0;
            System.out.printf(
                    "%-16s %4d counters  %6.1f us a read  %8.1f us in full%n",
                    name, values.length, warm / 1e3, full / 1e3);
        });
        readers.values().forEach(Reader::close); // some readers use the processes of another one
    }

    private static long full(Reader reader, Paced paced) {
        double[] values = new double[reader.counters().size()];
        long before = cpuNanos();
        for (int i = 0; i < 50; i++) {
            paced.readInFullNext();
            reader.read(values, 0);
        }
        return (cpuNanos() - before) / 50;
    }

    private static long cpuNanos() {
        KernelText text = new KernelText();
        text.loadOnce("/proc/thread-self/schedstat");
        return (long) text.number();
    }

    /// Measures the cost of a reader in its usual place: between the other readers, ten times a
    /// second, with whatever is left in the CPU's caches.
    private static final class Clocked implements Reader, Paced {
        private final Reader reader;
        private volatile long nanos;

        Clocked(Reader reader) {
            this.reader = reader;
        }

        @Override
        public List<Counter> counters() {
            return reader.counters();
        }

        @Override
        public void read(double[] values, int from) {
            long before = CLOCKS.getCurrentThreadCpuTime();
            reader.read(values, from);
            nanos += CLOCKS.getCurrentThreadCpuTime() - before;
        }

        @Override
        public void readInFullNext() {
            if (reader instanceof Paced paced) {
                paced.readInFullNext();
            }
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    /// Shows how much more a sample costs if the caches have lost what it needs.
    private static void measureAt(Duration interval, List<Reader> readers) throws Exception {
        try (Sampler sampler = Sampler.start(readers, interval, false, SampleSink.NONE)) {
            Thread.sleep(Duration.ofSeconds(WARM_SECONDS));
            double before = sampler.cpuSeconds();
            long start = System.nanoTime();
            Thread.sleep(Duration.ofSeconds(WARM_SECONDS));
            double share = (sampler.cpuSeconds() - before) / ((System.nanoTime() - start) / 1e9);
            System.out.printf(
                    "a sample every %d ms: %.2f ms of CPU each, %.2f %% of a core%n",
                    interval.toMillis(), share * interval.toMillis(), share * 100);
        }
    }

    private static double measureTogether(List<Reader> readers, int seconds) throws Exception {
        Sampler sampler = Sampler.start(readers, INTERVAL);
        Thread.sleep(Duration.ofSeconds(WARM_SECONDS));
        double before = sampler.cpuSeconds();
        long start = System.nanoTime();
        Thread.sleep(Duration.ofSeconds(seconds));
        double took = (System.nanoTime() - start) / 1e9;
        double share = (sampler.cpuSeconds() - before) / took;
        Timeline timeline = sampler.stop();
        double open =
                timeline.find(KernelCounter.TCP_IN_USE, End.SERVER).orElseThrow().last()
                        + timeline.last(KernelCounter.ofSockstat("TCP6", "inuse"), End.SERVER);
        System.out.printf(
                "%.0f sockets in use at the server's end; %d counters of both ends, %.1f samples a second; over %.1f s: %.2f %% of a core%n",
                open,
                timeline.series().size(),
                timeline.nanos().length / (WARM_SECONDS + took),
                took,
                share * 100);
        return share;
    }

    /// The cost of each reader between the others, including the clock that measures it.
    private static void measureEachAmongAll(Map<String, Reader> readers, int seconds)
            throws Exception {
        Map<String, Clocked> clocked = new LinkedHashMap<>();
        readers.forEach((name, reader) -> clocked.put(name, new Clocked(reader)));
        try (Sampler sampler = Sampler.start(List.copyOf(clocked.values()), INTERVAL)) {
            Thread.sleep(Duration.ofSeconds(WARM_SECONDS));
            Map<String, Long> before = new LinkedHashMap<>();
            clocked.forEach((name, reader) -> before.put(name, reader.nanos));
            Thread.sleep(Duration.ofSeconds(seconds));
            clocked.forEach((name, reader) ->
                    System.out.printf(
                            "%-16s %.3f %% of a core among the others%n",
                            name, (reader.nanos - before.get(name)) / 1e7 / seconds));
        }
    }
}
