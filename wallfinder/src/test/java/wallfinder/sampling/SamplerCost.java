package wallfinder.sampling;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import wallfinder.linux.CgroupDirs;
import wallfinder.linux.SockDiag;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// What sampling costs; run by hand: `SamplerCost SECONDS CONNECTIONS`. Both ends with all readers,
/// the server being a JVM of 200 threads, all on this host.
final class SamplerCost {
    private static final int THREADS = 200;
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private SamplerCost() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("child")) {
            child();
            return;
        }
        int connections = Integer.parseInt(arguments[1]);
        Process service = startChild();
        Process client = new ProcessBuilder("sleep", "600").start();
        try (ServerSocket server = new ServerSocket(0, 4096, LOOPBACK);
                SockDiag diag = SockDiag.open()) {
            leaveInTimeWait(server, connections);
            measureEach(readers(diag, server, service.pid(), client.pid()));
            measureTogether(
                    List.copyOf(readers(diag, server, service.pid(), client.pid()).values()),
                    Integer.parseInt(arguments[0]));
        } finally {
            service.destroyForcibly().waitFor();
            client.destroyForcibly().waitFor();
        }
    }

    private static void child() throws IOException {
        for (int i = 0; i < THREADS; i++) {
            Thread.ofPlatform()
                    .daemon()
                    .start(() -> {
                        while (true) {
                            java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
                        }
                    });
        }
        System.out.println("started");
        System.in.read();
    }

    private static Process startChild() throws IOException {
        Process service =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                SamplerCost.class.getName(),
                                "child")
                        .start();
        service.inputReader().readLine();
        return service;
    }

    private static void leaveInTimeWait(ServerSocket server, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (Socket client = new Socket(LOOPBACK, server.getLocalPort());
                    Socket accepted = server.accept()) {
                client.close();
                accepted.getInputStream().read();
            }
        }
    }

    private static Map<String, Reader> readers(
            SockDiag diag, ServerSocket server, long service, long load) {
        Path net = Path.of("/proc/thread-self/net");
        LocalPortRange range = LocalPortRange.read(Path.of("/proc/sys/net"));
        List<InetSocketAddress> destination =
                List.of((InetSocketAddress) server.getLocalSocketAddress());
        CgroupDirs dirs =
                new CgroupDirs(
                        1, Path.of("/sys/fs/cgroup/cpu"), Path.of("/sys/fs/cgroup/memory"), null);
        Map<String, Reader> readers = new LinkedHashMap<>();
        for (End end : List.of(End.SERVER, End.CLIENT)) {
            boolean client = end == End.CLIENT;
            readers.put(end + " netstat", new NetstatReader(net, end));
            readers.put(end + " sockstat", new SockstatReader(net, end));
            readers.put(
                    end + " ports",
                    new PortsReader(diag, range, end, client ? destination : List.of()));
            readers.put(
                    end + " process", new ProcessReader(end, "x", () -> client ? load : service));
            readers.put(end + " cpus", new CpusReader(end, new int[] {client ? 1 : 0}));
        }
        readers.put("SERVER listen", new ListenReader(diag, End.SERVER, server.getLocalPort()));
        readers.put("SERVER cgroup", new CgroupReader(End.SERVER, "x", dirs));
        return readers;
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
            reader.close();
        });
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

    private static void measureTogether(List<Reader> readers, int seconds) throws Exception {
        List<Double> cpu = new ArrayList<>();
        Sampler sampler = Sampler.start(readers, Duration.ofMillis(100));
        for (int i = 0; i < seconds; i++) {
            cpu.add(sampler.cpuSeconds());
            Thread.sleep(1_000);
        }
        double share = (sampler.cpuSeconds() - cpu.getFirst()) / seconds;
        int half = seconds / 2;
        double later = (sampler.cpuSeconds() - cpu.get(half)) / (seconds - half);
        System.out.printf(
                "%d counters at 10/s: %.2f %% of a CPU (second half: %.2f %%), %d samples%n",
                sampler.stop().series().size(), share * 100, later * 100, seconds * 10);
    }
}
