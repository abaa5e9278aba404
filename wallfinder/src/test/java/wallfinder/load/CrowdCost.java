package wallfinder.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome.Requests;

/// Measures what many connections cost. `bench/crowd` runs it: `CrowdCost FOLDER COUNT…`.
final class CrowdCost {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int OF_A_WORKER = 19_000;
    private static final int DESCRIPTORS_PER_THREAD = 19_000;
    private static final int OF_A_SOURCE = 28_000;
    private static final double IDLE_SECONDS = 5;

    private CrowdCost() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        System.out.println(
                "connections threads sources opened_in_s cpu_us_each connect_p50_us connect_p99_us"
                        + " connect_max_us heap_bytes_each rss_bytes_each idle_cpu_share errors");
        for (String count : List.of(arguments).subList(1, arguments.length)) {
            measure(folder, Integer.parseInt(count));
        }
    }

    /// Opens the connections and sends one request per second.
    private static void measure(Path folder, int connections) throws IOException {
        int threads = 1 + (connections - 1) / DESCRIPTORS_PER_THREAD;
        int sources = 1 + (connections - 1) / OF_A_SOURCE;
        String[] addresses = new String[sources];
        for (int i = 0; i < sources; i++) {
            addresses[i] = "127.0.0." + (i + 1);
        }
        try (Crowd crowd = Crowd.start(folder, 1 + connections / OF_A_WORKER)) {
            LoadPlan plan =
                    new PlanMaker(crowd.address())
                            .connections(connections)
                            .threads(threads)
                            .sources(addresses)
                            .ports(32_768, 60_999)
                            .timeout(LONG)
                            .arrival(new Arrival.Rate(1))
                            .make();
            LoadRun.check(plan);
            long heap = heap();
            long resident = residentBytes();
            try (LoadRun run = LoadRun.start(plan)) {
                long start = System.nanoTime();
                await(() -> run.progress().connections() + run.progress().errors() >= connections);
                double seconds = (System.nanoTime() - start) / 1e9;
                double cpu = cpuSeconds(run);
                double idle = idleShare(run);
                long heapEach = (heap() - heap) / connections;
                long residentEach = (residentBytes() - resident) / connections;
                Requests outcome = run.finish(LONG);
                Histogram connect = outcome.times().connectNanos();
                System.out.println(
                        String.format(
                                Locale.ROOT,
                                "%d %d %d %.2f %.1f %d %d %d %d %d %.4f %s",
                                connections,
                                threads,
                                sources,
                                seconds,
                                cpu * 1e6 / connections,
                                connect.getValueAtPercentile(50) / 1000,
                                connect.getValueAtPercentile(99) / 1000,
                                connect.getMaxValue() / 1000,
                                heapEach,
                                residentEach,
                                idle,
                                outcome.errors()));
            }
        }
    }

    /// The CPU time of all engine threads as a share of one CPU, with hardly any load.
    private static double idleShare(LoadRun run) {
        double before = cpuSeconds(run);
        long start = System.nanoTime();
        await(() -> System.nanoTime() - start > IDLE_SECONDS * 1e9);
        return (cpuSeconds(run) - before) / IDLE_SECONDS;
    }

    private static double cpuSeconds(LoadRun run) {
        List<String> names =
                run.progress().counters().stream().map(counter -> counter.name()).toList();
        double[] values = new double[names.size()];
        run.progress().read(values, 0);
        return values[names.indexOf(LoadFigure.GENERATOR_CPU)];
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no VmRSS");
    }

    private static void await(BooleanSupplier fact) {
        long start = System.nanoTime();
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - start > LONG.toNanos()) {
                throw new IllegalStateException("it takes too long");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
