package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Reader;

/// Reads sockstat, CPUs and the port range from recordings and the real host.
class SmallReadersTest {
    private static final Path RESOURCES = Path.of("src/test/resources/sampling");

    @TempDir Path folder;

    @Test
    void sockstat_has_levels_and_marks_those_of_the_whole_host() {
        try (SockstatReader reader =
                new SockstatReader(RESOURCES.resolve("linux-6.18/net"), End.SERVER)) {
            assertThat(Readings.of(reader))
                    .containsKeys(
                            "sockstat.sockets.used",
                            KernelCounter.TIME_WAIT.text(),
                            KernelCounter.TCP_IN_USE.text(),
                            "sockstat.TCP.orphan",
                            "sockstat.FRAG.memory",
                            "sockstat.TCP6.inuse")
                    .doesNotContainValue(Double.NaN);
            assertThat(reader.counters())
                    .allMatch(c -> c.kind() == Counter.Kind.GAUGE)
                    .anyMatch(c -> c.name().equals("sockstat.TCP.mem") && hostWide(c))
                    .anyMatch(c -> c.name().equals(KernelCounter.TIME_WAIT.text()) && !hostWide(c));
        }
    }

    private static boolean hostWide(Counter counter) {
        return counter.source().contains("whole host");
    }

    @Test
    void without_ipv6_there_is_no_sockstat6() throws Exception {
        Files.writeString(folder.resolve("sockstat"), "TCP: inuse 5 orphan 1 tw 9\n");
        try (SockstatReader reader = new SockstatReader(folder, End.SERVER)) {
            assertThat(Readings.of(reader))
                    .hasSize(3)
                    .containsEntry(KernelCounter.TCP_IN_USE.text(), 5.0)
                    .containsEntry(KernelCounter.TIME_WAIT.text(), 9.0);
        }
    }

    @Test
    void files_of_the_host_have_a_limit() throws Exception {
        Path file = Files.writeString(folder.resolve("file-nr"), "485\t0\t2466170\n");
        try (HostFilesReader reader = new HostFilesReader(End.SERVER, file)) {
            assertThat(Readings.of(reader))
                    .containsEntry(EndFigure.HOST_FILES.text(), 485.0)
                    .containsEntry(EndFigure.HOST_FILES_LIMIT.text(), 2_466_170.0);
        }
        try (HostFilesReader real = new HostFilesReader(End.SERVER)) {
            assertThat(Readings.of(real).get(EndFigure.HOST_FILES.text())).isPositive();
        }
    }

    @Test
    void tracked_connections_are_hexadecimal_and_their_drops_are_summed() throws Exception {
        Files.createDirectory(folder.resolve("stat"));
        Files.writeString(
                folder.resolve("stat/nf_conntrack"),
                """
                entries  clashres found new invalid insert_failed drop early_drop icmp_error
                00040000  00000000 00000001 00000000 00000002 00000003 00000004 0000000a 00000001
                00040000  00000000 00000001 00000000 00000002 00000003 0000000f 00000010 00000001
                """);
        try (ConntrackReader reader = new ConntrackReader(folder, End.SERVER)) {
            assertThat(Readings.of(reader))
                    .containsEntry(EndFigure.CONNTRACK_ENTRIES.text(), 262_144.0)
                    .containsEntry(EndFigure.CONNTRACK_DROPS.text(), 19.0)
                    .containsEntry(EndFigure.CONNTRACK_EARLY_DROPS.text(), 26.0);
        }
        try (ConntrackReader none = new ConntrackReader(folder.resolve("stat"), End.SERVER)) {
            assertThat(Readings.of(none).values()).containsOnly(Double.NaN);
        }
    }

    @Test
    void packet_drops_of_the_wanted_cpus_are_summed_and_their_longest_queue_counts()
            throws Exception {
        String line =
                "0000000a %08x 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 %08x %08x 00000000 00000000\n";
        Path stat = folder.resolve("softnet_stat");
        Path limit = folder.resolve("netdev_max_backlog");
        Files.writeString(
                stat,
                line.formatted(1, 0x3e8, 0)
                        + line.formatted(0x20, 0x1f4, 2)
                        + line.formatted(0x300, 7, 3));
        Files.writeString(limit, "1000\n");
        try (SoftnetReader reader = new SoftnetReader(stat, limit, End.SERVER, cpus(2, 3))) {
            assertThat(Readings.of(reader))
                    .containsEntry(EndFigure.SOFTNET_DROPPED.text(), 800.0)
                    .containsEntry(EndFigure.SOFTNET_QUEUE.text(), 500.0)
                    .containsEntry(EndFigure.SOFTNET_LIMIT.text(), 1_000.0)
                    .containsEntry(EndFigure.SOFTNET_PROCESSED.text(), 20.0)
                    .containsEntry(EndFigure.SOFTNET_SQUEEZED.text(), 2.0);
        }
    }

    /// Two lookups, one of which still waits at the second reading, and a socket of another kind.
    @Test
    void sockets_that_wait_for_a_name_server_are_counted_and_timed() throws Exception {
        String head =
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n";
        String line =
                "  %d: 010012C6:%s 630012C6:%s 01 00000000:00000000 00:00000000 00000000     0        0 %d 2 0 0\n";
        String stays = line.formatted(1, "9C40", "0035", 70_001);
        Files.writeString(
                folder.resolve("udp"),
                head
                        + stays
                        + line.formatted(2, "9C41", "0035", 70_002)
                        + line.formatted(3, "0035", "9C41", 70_003));
        AtomicLong now = new AtomicLong();
        try (LookupReader reader = new LookupReader(folder, End.SERVER, null, now::get)) {
            assertThat(Readings.of(reader))
                    .containsEntry(EndFigure.LOOKUPS_WAITING.text(), 2.0)
                    .containsEntry(EndFigure.LOOKUPS_LONGEST.text(), 0.0)
                    .containsEntry(EndFigure.UDP_OTHERS.text(), 1.0);
            Files.writeString(folder.resolve("udp"), head + stays);
            now.set(1_500_000_000);
            assertThat(Readings.of(reader))
                    .containsEntry(EndFigure.LOOKUPS_WAITING.text(), 1.0)
                    .containsEntry(EndFigure.LOOKUPS_LONGEST.text(), 1.5)
                    .containsEntry(EndFigure.UDP_OTHERS.text(), 0.0);
        }
    }

    /// This process has the first socket; the others belong to nobody.
    @Test
    void on_a_shared_network_only_the_lookups_of_the_service_count() throws Exception {
        try (DatagramSocket own = new DatagramSocket();
                LookupReader reader =
                        new LookupReader(
                                Path.of("/proc/self/net"),
                                End.SERVER,
                                new OwnSockets(() -> new long[] {ProcessHandle.current().pid()}))) {
            own.connect(new InetSocketAddress("127.0.0.1", 53));
            assertThat(Readings.inFull(reader))
                    .containsEntry(EndFigure.LOOKUPS_WAITING.text(), 1.0)
                    .containsEntry(EndFigure.UDP_OTHERS.text(), Double.NaN);
        }
        try (DatagramSocket other = new DatagramSocket();
                LookupReader reader =
                        new LookupReader(
                                Path.of("/proc/self/net"),
                                End.SERVER,
                                new OwnSockets(() -> new long[0]))) {
            other.connect(new InetSocketAddress("127.0.0.1", 53));
            assertThat(Readings.inFull(reader))
                    .containsEntry(EndFigure.LOOKUPS_WAITING.text(), 0.0);
        }
    }

    @Test
    void only_the_wanted_cpus_are_counted() throws Exception {
        Path stat = folder.resolve("stat");
        Files.writeString(
                stat,
                """
                cpu  10 2 30 400 50 6 7 8 9 10
                cpu0 1 1 1 100 5 1 1 3 0 0
                cpu1 100 200 300 400 500 600 700 800 0 0
                cpu10 10 20 30 40 50 60 70 80 0 0
                intr 5 10 1
                """);
        try (CpusReader reader = new CpusReader(stat, End.SERVER, cpus(1, 10))) {
            assertThat(Readings.of(reader))
                    .containsEntry(EndFigure.CPUS_BUSY.text(), (1900 + 190) / 100.0)
                    .containsEntry(EndFigure.CPUS_STEAL.text(), (800 + 80) / 100.0)
                    .containsEntry(EndFigure.CPUS_SOFTIRQ.text(), (700 + 70) / 100.0)
                    .containsEntry(EndFigure.CPUS_COUNTED.text(), (3600 + 360) / 100.0)
                    .containsEntry(EndFigure.CPUS_COUNT.text(), 2.0);
        }
    }

    /// The counters of the two CPUs are large and different from the start.
    @Test
    void the_cpu_with_the_most_software_interrupts_since_the_first_reading_is_followed()
            throws Exception {
        Path stat = folder.resolve("stat");
        String lines =
                """
                cpu  0 0 0 0 0 0 0 0 0 0
                cpu0 5 5 5 %d 100 5 %d 0 0 0
                cpu1 5 5 5 %d 700 5 %d 0 0 0
                """;
        Files.writeString(stat, lines.formatted(400, 9_000, 800, 50));
        try (CpusReader reader = new CpusReader(stat, End.SERVER, cpus(0, 1))) {
            assertThat(most(reader)).containsExactly(0.0, 0.0, 0.0, 0.0);
            Files.writeString(stat, lines.formatted(490, 9_010, 810, 140));
            assertThat(most(reader)).containsExactly(0.9, 0.1, 1.0, 1.0);
            Files.writeString(stat, lines.formatted(580, 9_020, 810, 240));
            assertThat(most(reader)).containsExactly(1.9, 0.1, 2.0, 1.0);
            // CPU 0 takes over, with 2.1 s since the first reading. Its last step was 1.9 s.
            Files.writeString(stat, lines.formatted(600, 9_210, 900, 241));
            assertThat(most(reader)).containsExactly(3.8, 0.3, 4.1, 0.0);
        }
    }

    private static List<Double> most(Reader reader) {
        Map<String, Double> readings = Readings.of(reader);
        return Stream.of(
                        EndFigure.CPUS_SOFTIRQ_MOST,
                        EndFigure.CPUS_SOFTIRQ_MOST_IDLE,
                        EndFigure.CPUS_SOFTIRQ_MOST_COUNTED,
                        EndFigure.CPUS_SOFTIRQ_MOST_CPU)
                .map(figure -> Objects.requireNonNull(readings.get(figure.text())))
                .toList();
    }

    @Test
    void burning_a_cpu_makes_the_cpus_of_this_host_busier() {
        try (CpusReader reader = new CpusReader(End.CLIENT, cpus(0, 1))) {
            double before = Readings.of(reader).get("cpus.busy");
            Readings.waitFor(
                    "busy time", () -> Readings.of(reader).get("cpus.busy") > before + 0.05);
        }
    }

    @Test
    void the_port_range_excludes_reserved_ports() throws Exception {
        Path ipv4 = Files.createDirectories(folder.resolve("ipv4"));
        Files.writeString(ipv4.resolve("ip_local_port_range"), "32768\t33023\n");
        Files.writeString(ipv4.resolve("ip_local_reserved_ports"), "8080,32760-32769,33000\n");
        assertThat(LocalPortRange.read(folder)).isEqualTo(new LocalPortRange(32768, 33023, 3));
        assertThat(LocalPortRange.read(folder).size()).isEqualTo(253);

        assertThat(LocalPortRange.read(Path.of("/proc/sys/net")).size()).isGreaterThan(9);
        assertThatThrownBy(() -> LocalPortRange.read(folder.resolve("none")))
                .isInstanceOf(EnvironmentException.class);
    }

    @Test
    void a_pace_follows_its_clock_and_pauses_longer_after_a_long_task() {
        long[] nanos = {0};
        Pace pace = pace(nanos, 0);
        assertThat(pace.run(() -> nanos[0] += 2)).isTrue();
        nanos[0] = 999;
        assertThat(pace.run(() -> {})).isFalse();
        pace.force();
        assertThat(pace.run(() -> nanos[0] += 30)).isTrue();
        nanos[0] = 999 + 2_999;
        assertThat(pace.run(() -> {})).isFalse();
        nanos[0]++;
        assertThat(pace.run(() -> nanos[0] += 1_000_000)).isTrue();
        nanos[0] = 999 + 3_000 + 5_000;
        assertThat(pace.run(() -> {})).isTrue();
    }

    @Test
    void savings_never_exceed_the_credit() {
        long[] nanos = {0};
        Pace pace = pace(nanos, 80);
        nanos[0] = 1_000_000;
        assertThat(pace.run(() -> nanos[0] += 110)).isTrue();
        nanos[0] = 1_000_000 + 2_999;
        assertThat(pace.run(() -> {})).isFalse();
        nanos[0]++;
        assertThat(pace.run(() -> {})).isTrue();
    }

    /// As on a slow host, in a JVM that has just started. A client program may start seconds after
    /// the first reading, and one reading does not show whether its connections are always in use.
    @ParameterizedTest
    @CsvSource({"1_500_000, 12", "2_500_000, 8", "5_000_000, 4", "10_000_000, 2"})
    void an_expensive_reading_is_due_several_times_from_the_third_to_the_ninth_second(
            String costNanos, int times) {
        assertThat(readings(30, 90, Long.parseLong(costNanos.replace("_", ""))))
                .isGreaterThanOrEqualTo(times);
    }

    @Test
    void an_expensive_reading_takes_its_share_and_its_credit_at_most() {
        assertThat(readings(0, 600, 10_000_000)).isBetween(5, 7);
    }

    /// Batches of requests that come every 300 ms would be read at the same moment each time.
    @Test
    void readings_do_not_keep_step_with_batches() {
        long[] nanos = {0};
        Pace pace = Pace.oftenIfCheap(() -> nanos[0], () -> 0);
        int[] readings = new int[3];
        for (int sample = 0; sample < 300; sample++) {
            nanos[0] = sample * 100_000_000L;
            readings[sample % 3] += pace.run(() -> {}) ? 1 : 0;
        }
        assertThat(Arrays.stream(readings)).allMatch(count -> count > 15);
    }

    /// How many of the samples in this range, ten a second, are due to be read.
    private static int readings(int from, int to, long costNanos) {
        long[] nanos = {0};
        long[] cpu = {0};
        Pace pace = Pace.oftenIfCheap(() -> nanos[0], () -> cpu[0]);
        int ran = 0;
        for (int sample = 0; sample < to; sample++) {
            nanos[0] = sample * 100_000_000L;
            boolean due = pace.run(() -> cpu[0] += costNanos);
            ran += due && sample >= from ? 1 : 0;
        }
        return ran;
    }

    private static Pace pace(long[] nanos, long creditNanos) {
        Pace.Bounds bounds = new Pace.Bounds(1_000, 5_000, 0.01, false);
        return new Pace(() -> nanos[0], () -> nanos[0], bounds, creditNanos);
    }

    private static BitSet cpus(int... numbers) {
        return IntStream.of(numbers).collect(BitSet::new, BitSet::set, BitSet::or);
    }

    @Test
    void the_process_with_the_fewest_free_descriptors_is_found_among_all() throws Exception {
        assumeTrue(
                Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                        .toString()
                        .equals("pid:[4026531836]"),
                "some processes of this host are invisible");
        String opens = "ulimit -n 12; exec 3</dev/null 4<&3 5<&3 6<&3 7<&3 8<&3; read";
        Process full = new ProcessBuilder("bash", "-c", opens).start();
        try (HiddenDescriptorsReader reader = new HiddenDescriptorsReader(End.SERVER)) {
            Readings.waitFor("a process has few left", () -> free(reader) <= 4);
        } finally {
            full.destroy();
        }
    }

    private static double free(HiddenDescriptorsReader reader) {
        Map<String, Double> read = Readings.inFull(reader);
        return read.get(EndFigure.FULLEST_LIMIT.text())
                - read.get(EndFigure.FULLEST_DESCRIPTORS.text());
    }

    /// In version 2 the memory of sockets is a line of `memory.stat`.
    @Test
    void the_memory_of_a_cgroups_sockets_is_read_in_version_2() throws Exception {
        Files.writeString(
                folder.resolve("memory.stat"),
                """
                anon 4096
                file 8192
                kernel 16384
                kernel_stack 0
                sock 1572864
                shmem 0
                """);
        double[] values = new double[3];
        try (SocketMemory memory = new SocketMemory(folder, false, true)) {
            memory.read(values, 0);
        }
        assertThat(values).containsExactly(1_572_864, Double.NaN, Double.NaN);
        assertThat(SocketMemory.counters(End.SERVER, "users", false).getFirst().source())
                .isEqualTo("memory.stat");
    }
}
