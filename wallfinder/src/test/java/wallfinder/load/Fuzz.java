package wallfinder.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import wallfinder.load.AnswerOracle.End;

/// The main class of `bench/fuzz`: compares the parser with the oracle on every CPU, then the
/// engines with a hostile server. Ends at the first deviation and prints its seed.
final class Fuzz {
    private static final long EXCHANGES_A_ROUND = 5000;
    private static final long CASE_SECONDS_MAX = 60;
    private static final long MEGABYTE = 1 << 20;
    private static final long HEAP_GROWTH_BYTES_MAX = 32 * MEGABYTE;
    private static final double NANOS_PER_SECOND = 1e9;

    private Fuzz() {}

    /// `INPUTS SEED EXCHANGES CONVERSATIONS`.
    public static void main(String[] arguments) throws Exception {
        long inputs = Long.parseLong(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        long exchanges = Long.parseLong(arguments[2]);
        try {
            parser(inputs, seed);
            tls(Long.parseLong(arguments[3]), seed);
            engines(exchanges, seed);
        } catch (ExecutionException | AssertionError e) {
            Throwable found = e instanceof ExecutionException ? e.getCause() : e;
            System.out.println("found: " + found.getMessage());
            System.exit(1);
        }
    }

    private static void parser(long inputs, long seed)
            throws InterruptedException, ExecutionException {
        int threads = Runtime.getRuntime().availableProcessors();
        long start = System.nanoTime();
        Map<End, Long> verdicts = new EnumMap<>(End.class);
        long bytes = 0;
        try (ExecutorService all = Executors.newFixedThreadPool(threads)) {
            List<Future<ParserFuzz>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                long from = inputs * i / threads;
                long count = inputs * (i + 1) / threads - from;
                parts.add(all.submit(() -> part(seed + from, count)));
            }
            for (Future<ParserFuzz> part : parts) {
                part.get().verdicts().forEach((k, v) -> verdicts.merge(k, v, Long::sum));
                bytes += part.get().bytes();
            }
        }
        double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
        System.out.printf(
                "parser: %,d inputs of seeds from %d, %,d MB, %s: the oracle says the same of each; %.0f s, %,.0f inputs/s%n",
                inputs, seed, bytes / MEGABYTE, verdicts, seconds, inputs / seconds);
    }

    private static ParserFuzz part(long seed, long count) {
        try (ParserFuzz fuzz = new ParserFuzz()) {
            Seeded.cases(seed, count, fuzz::one);
            return fuzz;
        }
    }

    private static void tls(long conversations, long seed) throws Exception {
        Certificates certificates =
                TlsRecordsFuzz.certificates(Files.createTempDirectory("wallfinder-fuzz"));
        int threads = Runtime.getRuntime().availableProcessors();
        long start = System.nanoTime();
        TlsRecordsFuzz.Counts counts = new TlsRecordsFuzz.Counts();
        try (ExecutorService all = Executors.newFixedThreadPool(threads)) {
            List<Future<TlsRecordsFuzz.Counts>> parts = new ArrayList<>();
            List<AtomicLong> next = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String version = i % 2 == 0 ? "1.3" : "1.2";
                long end = seed + conversations * (i + 1) / threads;
                AtomicLong from = new AtomicLong(seed + conversations * i / threads);
                next.add(from);
                parts.add(all.submit(() -> tlsPart(certificates, version, from, end)));
            }
            for (int i = 0; i < threads; i++) {
                counts.add(watched(parts.get(i), next.get(i)));
            }
        }
        double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
        System.out.printf(
                "TLS: %,d conversations of seeds from %d, %,d with a server, %,d spoilt, %,d MB: %,d answered, %,d refused, %,d at a stand; nothing else; %.0f s, %,.0f/s%n",
                conversations,
                seed,
                counts.live,
                counts.spoilt,
                counts.bytes / MEGABYTE,
                counts.answered,
                counts.refused,
                counts.stood,
                seconds,
                conversations / seconds);
    }

    private static TlsRecordsFuzz.Counts tlsPart(
            Certificates certificates, String version, AtomicLong next, long end) {
        try (TlsRecordsFuzz fuzz = new TlsRecordsFuzz(certificates, version, next.get())) {
            while (next.get() < end) {
                Seeded.one(next.get(), fuzz::one);
                next.incrementAndGet();
            }
            return fuzz.counts();
        }
    }

    /// Also finds a conversation that does not end.
    private static <T> T watched(Future<T> part, AtomicLong next)
            throws InterruptedException, ExecutionException {
        long seen = -1;
        while (next.get() > seen) {
            seen = next.get();
            try {
                return part.get(CASE_SECONDS_MAX, TimeUnit.SECONDS);
            } catch (TimeoutException _) {
                // as long as the next one has begun meanwhile
            }
        }
        System.out.println("found: no end of the case with seed " + seen);
        Thread.getAllStackTraces()
                .forEach((thread, at) -> System.out.println(thread + " " + Arrays.toString(at)));
        Runtime.getRuntime().halt(1);
        throw new AssertionError(seen);
    }

    private static void engines(long exchanges, long seed) throws IOException {
        EngineFuzz.warmUp();
        long heap = heapBytes();
        for (EngineChoice engine : List.of(EngineChoice.IO_URING, EngineChoice.EPOLL)) {
            long start = System.nanoTime();
            Map<String, Long> counts = new TreeMap<>();
            long sent = 0;
            long rounds = 0;
            for (; sent < exchanges; rounds++) {
                EngineFuzz[] fuzz = new EngineFuzz[1];
                Seeded.one(
                        seed + rounds, r -> fuzz[0] = EngineFuzz.of(r, engine, EXCHANGES_A_ROUND));
                sent += fuzz[0].outcome().sent();
                fuzz[0].counts().forEach((kind, count) -> counts.merge(kind, count, Long::sum));
            }
            System.out.printf(
                    "%s: %,d exchanges in %d rounds of seeds from %d: %s; both counted the same; %.0f s%n",
                    engine.word(),
                    sent,
                    rounds,
                    seed,
                    counts,
                    (System.nanoTime() - start) / NANOS_PER_SECOND);
        }
        long growth = heapBytes() - heap;
        System.out.printf(
                "heap: %,d MB more than before the rounds; resident: %s%n",
                growth / MEGABYTE, resident());
        if (growth > HEAP_GROWTH_BYTES_MAX) {
            throw new AssertionError("the heap has grown by " + growth + " bytes");
        }
    }

    private static long heapBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static String resident() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                return line.substring("VmHWM:".length()).strip() + " at most";
            }
        }
        return "unknown";
    }
}
