package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.Tree;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;

/// Reads JVMs that collect garbage, from outside.
@Tag("slow")
class JvmReaderTest {
    private static final double MB = 1 << 20;

    @TempDir Path folder;
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endProcesses() throws Exception {
        for (Process process : started) {
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /// A JVM that produces garbage for a minute.
    private Process collecting(String... options) throws IOException {
        return java(
                """
                class Garbage {
                    static byte[][] kept = new byte[4096][];
                    public static void main(String[] arguments) {
                        System.out.println("started");
                        long end = System.nanoTime() + 60_000_000_000L;
                        for (int i = 0; System.nanoTime() < end; i++) {
                            kept[i % kept.length] = new byte[1024];
                        }
                    }
                }
                """,
                Stream.concat(Stream.of(options), Stream.of("-Xmx64m")).toList());
    }

    /// A JVM with so many objects that a full collection takes a while. It collects when it reads a
    /// line.
    private Process slowlyCollecting() throws IOException {
        return java(
                """
                class Slow {
                    record Node(Node next) {}
                    static Node first;
                    public static void main(String[] arguments) throws Exception {
                        for (int i = 0; i < 10_000_000; i++) {
                            first = new Node(first);
                        }
                        System.out.println("started");
                        while (System.in.read() >= 0) {
                            System.gc();
                        }
                    }
                }
                """,
                List.of("-XX:+UseSerialGC", "-Xms1g", "-Xmx1g"));
    }

    private Process java(String program, List<String> options) throws IOException {
        Path source = Files.writeString(folder.resolve("Program.java"), program);
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(options);
        command.add(source.toString());
        return started(command);
    }

    private Process started(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        return process;
    }

    private static double value(ProcessReader processes, JvmReader reader, JvmFigure figure) {
        Readings.inFull(processes);
        return Readings.inFull(reader).get(figure.of("x").text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Serial", "Parallel", "G1"})
    void pauses_and_the_cpu_of_a_collector_are_seen_from_outside(String collector)
            throws Exception {
        Process process = collecting("-XX:+Use" + collector + "GC");
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor("pauses", () -> value(processes, reader, JvmFigure.PAUSES) > 20);
            Readings.waitFor(
                    "their CPU", () -> value(processes, reader, JvmFigure.COLLECTOR_CPU) > 0.02);
            Readings.waitFor(
                    "the longest", () -> value(processes, reader, JvmFigure.LONGEST_PAUSE) > 0);
            Map<String, Double> values = Readings.inFull(reader);
            assertThat(values.get("jvm[x].pauseSeconds")).isBetween(0.001, 60.0);
            assertThat(values.get("jvm[x].stoppingCpu")).isBetween(0.001, 60.0);
            assertThat(values.get("jvm[x].heapMax")).isBetween(60 * MB, 64 * MB);
            assertThat(values.get("jvm[x].heapUsed")).isBetween(MB / 4, 64 * MB);
        }
    }

    /// The JVM counts a pause when it begins, and publishes its length when it ends.
    @Test
    void a_pause_that_is_read_while_it_lasts_counts_when_it_ends() throws Exception {
        Process process = slowlyCollecting();
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor(
                    "figures", () -> value(processes, reader, JvmFigure.FULL_PAUSE_SECONDS) >= 0);
            double before = value(processes, reader, JvmFigure.FULL_PAUSE_SECONDS);
            process.outputWriter().append('c').flush();
            Readings.waitFor(
                    "its end",
                    () -> value(processes, reader, JvmFigure.FULL_PAUSE_SECONDS) > before);
            double took = value(processes, reader, JvmFigure.FULL_PAUSE_SECONDS) - before;
            assertThat(value(processes, reader, JvmFigure.LONGEST_PAUSE)).isGreaterThan(took / 2);
        }
    }

    @Test
    void without_perf_data_the_threads_show_the_cpu_time_of_the_collector() throws Exception {
        Process process = collecting("-XX:+UseSerialGC", "-XX:-UsePerfData");
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor(
                    "CPU time", () -> value(processes, reader, JvmFigure.STOPPING_CPU) > 0.02);
            assertThat(value(processes, reader, JvmFigure.PAUSES)).isNaN();
        }
    }

    /// Its counters include the time in which it works beside the program.
    @Test
    void the_counters_of_shenandoah_are_not_taken_for_pauses() throws Exception {
        Process process = collecting("-XX:+UseShenandoahGC");
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never());
                PerfData counters = PerfData.open((int) process.pid())) {
            assertThat(counters).isNotNull();
            Readings.waitFor(
                    "a cycle",
                    () -> counters.read() && counters.number("sun.gc.collector.1.time") > 0);
            Readings.waitFor(
                    "figures", () -> value(processes, reader, JvmFigure.HEAP_COMMITTED) > 0);
            assertThat(
                            List.of(
                                    JvmFigure.PAUSES,
                                    JvmFigure.PAUSE_SECONDS,
                                    JvmFigure.FULL_COLLECTIONS,
                                    JvmFigure.FULL_PAUSE_SECONDS,
                                    JvmFigure.LONGEST_PAUSE))
                    .allSatisfy(figure ->
                            assertThat(value(processes, reader, figure)).as(figure.name()).isNaN());
            assertThat(value(processes, reader, JvmFigure.COLLECTOR_CPU)).isPositive();
        }
    }

    @Test
    void an_ended_jvm_reads_as_nan() throws Exception {
        Process process = collecting("-XX:+UseSerialGC");
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor("pauses", () -> value(processes, reader, JvmFigure.PAUSES) > 0);
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            Readings.waitFor(
                    "gone", () -> Double.isNaN(value(processes, reader, JvmFigure.PAUSES)));
        }
    }

    /// While one JVM is stopped the others answer.
    @Test
    void the_pauses_of_several_jvms_are_not_added_up() throws Exception {
        long[] pids = {collecting("-XX:+UseSerialGC").pid(), collecting("-XX:+UseSerialGC").pid()};
        try (ProcessReader both = ProcessReader.ofSeveral(End.SERVER, "x", () -> pids);
                JvmReader of = new JvmReader(both, new JvmAsking.Never());
                ProcessReader one = new ProcessReader(End.SERVER, "x", () -> pids[0]);
                JvmReader ofOne = new JvmReader(one, new JvmAsking.Never());
                ProcessReader other = new ProcessReader(End.SERVER, "x", () -> pids[1]);
                JvmReader ofOther = new JvmReader(other, new JvmAsking.Never())) {
            value(one, ofOne, JvmFigure.PAUSES);
            value(other, ofOther, JvmFigure.PAUSES);
            Readings.waitFor("pauses", () -> value(both, of, JvmFigure.PAUSES) > 20);
            double pauses = value(both, of, JvmFigure.PAUSES);
            double most =
                    Math.max(
                            value(one, ofOne, JvmFigure.PAUSES),
                            value(other, ofOther, JvmFigure.PAUSES));
            assertThat(pauses).isLessThanOrEqualTo(most);
        }
    }

    @Test
    void each_of_several_jvms_has_figures_of_its_own() throws Exception {
        long[] pids = {collecting("-XX:+UseSerialGC").pid(), collecting("-XX:+UseG1GC").pid()};
        try (ProcessReader both = ProcessReader.ofSeveral(End.SERVER, "x", () -> pids);
                JvmReader reader = new JvmReader(both, new JvmAsking.Never())) {
            Readings.waitFor(
                    "pauses of both",
                    () ->
                            of(both, reader, 1, JvmFigure.PAUSES) > 0
                                    && of(both, reader, 2, JvmFigure.PAUSES) > 0);
            for (int number = 1; number <= 2; number++) {
                double pid = of(both, reader, number, JvmFigure.PID);
                try (ProcessReader one = new ProcessReader(End.SERVER, "x", () -> (long) pid);
                        JvmReader ofOne = new JvmReader(one, new JvmAsking.Never())) {
                    double cpu = of(both, reader, number, JvmFigure.PROCESS_CPU);
                    assertThat(Readings.inFull(one).get("process[x].cpu"))
                            .isBetween(cpu, of(both, reader, number, JvmFigure.PROCESS_CPU));
                    assertThat(ofOne.found()).hasSizeLessThan(ofOne.counters().size());
                    assertThat(of(one, ofOne, 1, JvmFigure.HEAP_USED)).isNaN();
                    assertThat(value(one, ofOne, JvmFigure.OLD_MAX))
                            .isEqualTo(of(both, reader, number, JvmFigure.OLD_MAX));
                }
            }
            assertThat(reader.found())
                    .filteredOn(counter -> counter.key().isOf(JvmFigure.PID))
                    .extracting(Counter::name)
                    .containsExactly("jvm[x#1].pid", "jvm[x#2].pid");
        }
    }

    private static double of(
            ProcessReader processes, JvmReader reader, int number, JvmFigure figure) {
        Readings.inFull(processes);
        return Readings.inFull(reader).get(figure.of(JvmFigure.subject("x", number)).text());
    }

    /// A JVM that keeps as much as it can and catches the error.
    @ParameterizedTest
    @ValueSource(strings = {"Serial", "Parallel", "G1"})
    void allocations_that_fail_are_seen_in_the_collections(String collector) throws Exception {
        Process process =
                java(
                        """
                        class Full {
                            static byte[][] kept = new byte[1 << 12][];
                            public static void main(String[] arguments) {
                                int count = 0;
                                System.out.println("started");
                                while (true) {
                                    try {
                                        kept[count] = new byte[1 << 16];
                                        count++;
                                    } catch (OutOfMemoryError e) {
                                        kept[--count] = null;
                                    }
                                }
                            }
                        }
                        """,
                        List.of("-XX:+Use" + collector + "GC", "-Xmx64m"));
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor(
                    "full collections",
                    () -> value(processes, reader, JvmFigure.FULL_COLLECTIONS) > 50);
            double full = value(processes, reader, JvmFigure.FULL_COLLECTIONS);
            double all = value(processes, reader, JvmFigure.PAUSES);
            Readings.waitFor(
                    "more of them",
                    () -> value(processes, reader, JvmFigure.FULL_COLLECTIONS) > full + 20);
            double more = value(processes, reader, JvmFigure.FULL_COLLECTIONS) - full;
            assertThat(more).isGreaterThan((value(processes, reader, JvmFigure.PAUSES) - all) / 2);
            assertThat(value(processes, reader, JvmFigure.OLD_USED))
                    .isGreaterThan(0.85 * value(processes, reader, JvmFigure.OLD_MAX));
            assertThat(value(processes, reader, JvmFigure.HEAP_USED))
                    .isGreaterThan(0.8 * value(processes, reader, JvmFigure.HEAP_MAX));
            assertThat(value(processes, reader, JvmFigure.REQUESTED)).isZero();
        }
    }

    /// A JVM that collects, and then allocates 20 MB without another collection.
    @Test
    void new_objects_do_not_count_as_left_by_the_last_collection() throws Exception {
        Process process =
                java(
                        """
                        class New {
                            static byte[] last;
                            public static void main(String[] arguments) throws Exception {
                                System.out.println("started");
                                System.in.read();
                                System.gc();
                                System.out.println("collected");
                                System.in.read();
                                for (int i = 0; i < 20; i++) {
                                    last = new byte[1 << 10 << 10];
                                }
                                System.out.println("allocated");
                                System.in.read();
                            }
                        }
                        """,
                        List.of("-XX:+UseG1GC", "-Xmx400m", "-Xmn200m", "-XX:G1HeapRegionSize=4m"));
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never());
                PerfData counters = PerfData.open((int) process.pid())) {
            assertThat(counters).isNotNull();
            Readings.waitFor("figures", () -> value(processes, reader, JvmFigure.REQUESTED) == 0);
            assertThat(value(processes, reader, JvmFigure.HEAP_USED)).isNaN();
            process.outputWriter().append('c').flush();
            assertThat(process.inputReader().readLine()).isEqualTo("collected");
            double left = value(processes, reader, JvmFigure.HEAP_USED);
            process.outputWriter().append('a').flush();
            assertThat(process.inputReader().readLine()).isEqualTo("allocated");
            assertThat(counters.read()).isTrue();
            assertThat(counters.number("sun.gc.generation.0.space.0.used")).isGreaterThan(10 * MB);
            assertThat(value(processes, reader, JvmFigure.HEAP_USED))
                    .isEqualTo(left)
                    .isLessThan(10 * MB);
        }
    }

    /// Before Java 18, G1 publishes the whole heap as the size of each generation, with some bytes
    /// more.
    @Test
    void the_generations_of_java_11_are_not_added_up() throws Exception {
        Path java = Tree.ROOT.resolve("jvms/11/bin/java");
        assumeTrue(Files.isExecutable(java), "there is no Java 11; bin/get-jvm 11 installs it");
        WaitingProgram.compile(11, folder);
        Process process =
                started(
                        List.of(
                                java.toString(),
                                "-XX:+UseG1GC",
                                "-Xmx64m",
                                "-cp",
                                folder.toString(),
                                WaitingProgram.NAME));
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor("figures", () -> value(processes, reader, JvmFigure.HEAP_MAX) > 0);
            assertThat(value(processes, reader, JvmFigure.HEAP_MAX)).isBetween(60 * MB, 65 * MB);
        }
    }

    @Test
    void collections_that_a_program_requests_are_seen() throws Exception {
        Process process = slowlyCollecting();
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.waitFor("figures", () -> value(processes, reader, JvmFigure.REQUESTED) == 0);
            process.outputWriter().append('c').flush();
            Readings.waitFor("a request", () -> value(processes, reader, JvmFigure.REQUESTED) == 1);
        }
    }

    @Test
    void a_process_that_is_not_a_jvm_reads_as_nan() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        started.add(process);
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", process::pid);
                JvmReader reader = new JvmReader(processes, new JvmAsking.Never())) {
            Readings.inFull(processes);
            assertThat(Readings.inFull(reader).values()).allMatch(v -> v.isNaN());
        }
    }

    @Test
    void collector_threads_are_recognized_by_name() {
        assertThat(
                        List.of(
                                "GC Thread#0",
                                "G1 Conc#0",
                                "G1 Main Marker",
                                "VM Thread",
                                "ZWorkerYoung#0",
                                "XWorker#1",
                                "ParGC Thread#0",
                                "CMS Main Thread",
                                "Shenandoah GC T"))
                .allMatch(JvmReaderTest::collects);
        assertThat(List.of("java", "main", "C2 CompilerThre", "pool-1-thread-1", "GCalendar"))
                .noneMatch(JvmReaderTest::collects);
        assertThat(List.of("C1 CompilerThre", "JVMCI-native Co"))
                .allMatch(name -> JvmThreads.jobOf(name) == JvmThreads.Job.COMPILING);
        assertThat(JvmThreads.jobOf("main")).isNull();
    }

    private static boolean collects(String name) {
        JvmThreads.Job job = JvmThreads.jobOf(name);
        return job == JvmThreads.Job.COLLECTING || job == JvmThreads.Job.STOPPING;
    }
}
