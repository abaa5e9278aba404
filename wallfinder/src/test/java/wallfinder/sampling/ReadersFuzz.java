package wallfinder.sampling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import wallfinder.lab.agent.MessagesFuzz;
import wallfinder.linux.SockDiagFuzz;

/// Feeds the readers of what a watched program or the kernel writes with damaged input. A reader
/// may find nothing in it; it may not throw, and it may not need much memory.
final class ReadersFuzz {
    private static final List<String> NAMES =
            List.of(
                    "sun.gc.collector.0.invocations",
                    "sun.ci.totalTime",
                    "java.property.java.home");

    /// What a JVM prints for `jcmd PID Thread.print`, shortened.
    private static final String DUMP =
            """
            2026-11-20 12:00:00
            Full thread dump OpenJDK 64-Bit Server VM (25.0.1+8 mixed mode, sharing):

            "ForkJoinPool-1-worker-1" #25 [7360] daemon prio=5 os_prio=0 cpu=9.50ms elapsed=0.95s tid=0x7
               Carrying virtual thread #38
            \tat jdk.internal.vm.Continuation.run(java.base@25/Continuation.java:1)

            "handler-1" #24 [7369] prio=5 os_prio=0 cpu=8.82ms elapsed=0.67s tid=0x00007f10 nid=7369 waiting
               java.lang.Thread.State: BLOCKED (on object monitor)
            \tat Store.read(Store.java:20)
            \t- waiting to lock <0x0000000711> (a java.lang.Object)
            \tat Handler.run(Handler.java:7)

            "handler-2" #25 [7370] prio=5 os_prio=0 cpu=8.82ms elapsed=0.67s tid=0x00007f11 nid=7370 sleeping
               java.lang.Thread.State: TIMED_WAITING (sleeping)
            \tat java.lang.Thread.sleep(java.base@25/Native Method)
            \t- locked <0x0000000711> (a java.lang.Object)

            """;

    private static final String COLLECTOR_LOG =
            """
            [1200345678ns] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 24M->12M(64M) 3.456ms
            [1300345678ns] GC(4) Pause Full (G1 Compaction Pause) 60M->50M(64M) 83.4ms
            [1400345678ns] Allocation Stall (http-1) 12.345ms
            """;

    private static final String[] EXTREMES = {
        "9".repeat(40),
        "-1",
        "1.2.3",
        "\u0000",
        "\u202e",
        "\"",
        "<",
        "(",
        "[",
        "\n",
        "NaN",
        "1e999",
        "\\d+",
        "ForkJoinPool-1-worker-1\" #1 cpu=1.2.3ms ",
        "- waiting to lock <x> (a ",
        " ".repeat(2_000),
    };

    private final Path file;
    private final byte[] perfData;
    private final KernelFilesFuzz kernelFiles;
    private final SockDiagFuzz sockets = new SockDiagFuzz();
    private final MessagesFuzz messages = new MessagesFuzz();

    /// @param folder for the file that a reader reads
    ReadersFuzz(Path folder) throws IOException {
        file = folder.resolve("damaged");
        kernelFiles = new KernelFilesFuzz(folder);
        perfData =
                Files.readAllBytes(
                        Path.of(
                                "/tmp/hsperfdata_" + System.getProperty("user.name"),
                                Long.toString(ProcessHandle.current().pid())));
    }

    /// `INPUTS SEED`, for `bench/fuzz`.
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("wallfinder-fuzz");
        long start = System.nanoTime();
        Map<String, Long> inputs =
                new ReadersFuzz(folder)
                        .run(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]));
        inputs.forEach((reader, count) -> System.out.printf("%-24s %,d inputs%n", reader, count));
        System.out.printf("no reader failed, %.0f s%n", (System.nanoTime() - start) / 1e9);
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /// @return how many inputs each reader has read
    Map<String, Long> run(long inputs, long firstSeed) throws IOException {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (long seed = firstSeed; seed < firstSeed + inputs; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            try {
                perfData(random);
                counts.merge("hsperfdata", 1L, Long::sum);
                LockDump.of(damaged(DUMP, random)).ifPresent(LockDump::describe);
                counts.merge("locks of a thread dump", 1L, Long::sum);
                ThreadDump dump = ThreadDump.of(damaged(DUMP, random));
                dump.heldSince(dump);
                counts.merge("carriers of a thread dump", 1L, Long::sum);
                new CollectorLog().add(damaged(COLLECTOR_LOG, random).lines().toList());
                counts.merge("collector log", 1L, Long::sum);
                kernelFiles.read(random);
                counts.merge("files of the kernel", 1L, Long::sum);
                sockets.read(random);
                counts.merge("answers of sock_diag", 1L, Long::sum);
                messages.read(random);
                counts.merge("messages of an agent", 1L, Long::sum);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        return counts;
    }

    private void perfData(SplittableRandom random) throws IOException {
        Files.write(file, PerfDataTest.damaged(perfData, random));
        try (PerfData data = PerfData.open(file.toFile())) {
            if (data != null) {
                NAMES.forEach(data::number);
                NAMES.forEach(data::text);
            }
        }
    }

    /// Some words become extreme ones, some lines are repeated or missing, and the end may be, too.
    static String damaged(String text, SplittableRandom random) {
        List<String> lines = new ArrayList<>(text.lines().toList());
        for (int i = random.nextInt(4); i >= 0 && !lines.isEmpty(); i--) {
            int at = random.nextInt(lines.size());
            switch (random.nextInt(4)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(at, lines.get(random.nextInt(lines.size())));
                case 2 -> lines.set(at, replaced(lines.get(at), random));
                default -> lines.set(at, noise(random));
            }
        }
        String all = String.join("\n", lines) + "\n";
        return random.nextInt(5) == 0 ? all.substring(0, random.nextInt(all.length())) : all;
    }

    private static String replaced(String line, SplittableRandom random) {
        int from = random.nextInt(line.length() + 1);
        int to = from + random.nextInt(Math.min(12, line.length() - from) + 1);
        return line.substring(0, from)
                + EXTREMES[random.nextInt(EXTREMES.length)]
                + line.substring(to);
    }

    private static String noise(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
