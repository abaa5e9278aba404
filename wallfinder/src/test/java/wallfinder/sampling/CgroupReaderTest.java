package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.End;

/// A real cgroup, of the version that limits this host.
@Tag("sandbox")
class CgroupReaderTest {
    private static final Path TOP = Path.of("/sys/fs/cgroup");
    private static final Path CPU = TOP.resolve("cpu");
    private static final Path MEMORY = TOP.resolve("memory");
    private static final String NAME = "wallfinder-test-" + ProcessHandle.current().pid();

    /// A limit of 0.05 CPUs.
    private static final Map<Integer, Map.Entry<String, String>> QUOTA =
            Map.of(
                    1, Map.entry("cpu.cfs_quota_us", "5000"),
                    2, Map.entry("cpu.max", "5000 100000"));

    private final int version = Files.exists(TOP.resolve("cgroup.controllers")) ? 2 : 1;
    private final Path cpuTop = version == 2 ? TOP : CPU;
    private final Path memoryTop = version == 2 ? TOP : MEMORY;

    @Test
    void throttling_and_the_memory_limit_of_a_real_cgroup_are_read() throws Exception {
        assumePossible();
        Path cpu = Files.createDirectory(cpuTop.resolve(NAME));
        Path memory = version == 2 ? cpu : Files.createDirectory(memoryTop.resolve(NAME));
        Process burner = null;
        try {
            limitCpu(cpu);
            String limit = version == 2 ? "memory.max" : "memory.limit_in_bytes";
            Files.writeString(memory.resolve(limit), "67108864");
            burner = startInside(cpu, memory);
            checkThrottling(new CgroupDirs(version, cpu, memory, null));
        } finally {
            end(burner);
            remove(cpu);
            remove(memory);
        }
    }

    /// As of a container in a pod, whose quota is that of the pod.
    @Test
    void the_quota_of_a_parent_is_read() throws Exception {
        assumePossible();
        inPod((pod, container) -> {
            limitCpu(pod);
            String parent = "cgroup[x in " + NAME + "]";
            try (CgroupReader reader = reader(container)) {
                assertThat(Readings.inFull(reader))
                        .containsEntry(parent + ".cpus", 0.05)
                        .containsEntry("cgroup[x].cpus", 0.05);
                Readings.waitFor(
                        "the parent is throttled",
                        () -> Readings.of(reader).get(parent + ".throttledPeriods") > 3);
                assertThat(Readings.of(reader)).containsEntry("cgroup[x].throttledPeriods", 0.0);
            }
        });
    }

    /// As of a pod, with a quota of one container.
    @Test
    void the_quota_of_a_group_inside_is_read() throws Exception {
        assumePossible();
        inPod((pod, container) -> {
            limitCpu(container);
            String inside = "cgroup[container of x]";
            try (CgroupReader reader = reader(pod)) {
                Map<String, Double> values = Readings.inFull(reader);
                assertThat(values).containsEntry(inside + ".cpus", 0.05);
                assertThat(values.get("cgroup[x].cpus")).isNotEqualTo(0.05);
                Readings.waitFor(
                        "the container is throttled",
                        () -> Readings.of(reader).get(inside + ".throttledPeriods") > 3);
            }
        });
    }

    private CgroupReader reader(Path cpu) {
        return new CgroupReader(End.SERVER, "x", new CgroupDirs(version, cpu, null, null));
    }

    private interface InPod {
        void accept(Path pod, Path container) throws IOException;
    }

    /// With a busy process in the container.
    private void inPod(InPod check) throws Exception {
        Path pod = Files.createDirectory(cpuTop.resolve(NAME));
        if (version == 2) {
            Files.writeString(pod.resolve("cgroup.subtree_control"), "+cpu");
        }
        Path container = Files.createDirectory(pod.resolve("container"));
        Process burner = null;
        try {
            burner = startInside(container);
            check.accept(pod, container);
        } finally {
            end(burner);
            remove(container);
            remove(pod);
        }
    }

    private void assumePossible() {
        assumeTrue(
                Files.isWritable(cpuTop) && Files.isWritable(memoryTop),
                "SKIPPED: no writable cgroup here");
    }

    private void limitCpu(Path group) throws IOException {
        Map.Entry<String, String> quota = QUOTA.get(version);
        Files.writeString(group.resolve(quota.getKey()), quota.getValue());
    }

    private static void end(@Nullable Process process) throws InterruptedException {
        if (process != null) {
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /// Closes ten connections, each with 200 KB of unread data.
    private static final String HELD =
            """
            import socket, sys
            listener = socket.create_server(('127.0.0.1', 0))
            for _ in range(10):
                client = socket.create_connection(listener.getsockname())
                server, _ = listener.accept()
                client.setblocking(False)
                sent = client.send(b'x' * 200000)
                while sent > 0:
                    sent -= len(server.recv(65536))
                client.close()
                server.close()
            print('closed', flush=True)
            sys.stdin.read()
            """;

    /// A higher peak from before the measurement would hide the peak during it.
    @Test
    void the_peak_of_socket_memory_restarts_at_the_first_reading_but_not_in_a_foreign_group()
            throws Exception {
        assumeTrue(
                Files.isWritable(MEMORY.resolve("memory.kmem.tcp.limit_in_bytes")),
                "SKIPPED: no writable memory controller of cgroup v1 here");
        Path memory = Files.createDirectory(MEMORY.resolve(NAME));
        Process holder = null;
        try {
            Files.writeString(memory.resolve("memory.kmem.tcp.limit_in_bytes"), "1073741824");
            String join = "echo $$ > " + memory + "/cgroup.procs; exec python3 -c \"$0\"";
            holder = new ProcessBuilder("sh", "-c", join, HELD).start();
            assertThat(holder.inputReader().readLine()).isEqualTo("closed");
            CgroupDirs dirs = new CgroupDirs(1, null, memory, null);
            try (CgroupReader others = CgroupReader.ofOthers(End.SERVER, "x", dirs);
                    CgroupReader own = new CgroupReader(End.SERVER, "x", dirs)) {
                double before = Readings.of(others).get("cgroup[x].tcpMemoryPeak");
                assertThat(before).isGreaterThan(50_000);
                assertThat(Readings.of(others)).containsEntry("cgroup[x].tcpMemoryPeak", before);
                assertThat(Readings.of(own).get("cgroup[x].tcpMemoryPeak")).isLessThan(before);
            }
        } finally {
            end(holder);
            remove(memory);
        }
    }

    private static void checkThrottling(CgroupDirs dirs) {
        try (CgroupReader reader = new CgroupReader(End.SERVER, "x", dirs)) {
            double before = Readings.of(reader).get("cgroup[x].throttledPeriods");
            Readings.waitFor(
                    "throttled periods",
                    () -> Readings.of(reader).get("cgroup[x].throttledPeriods") > before + 2);
            Map<String, Double> values = Readings.of(reader);
            assertThat(values.get("cgroup[x].periods")).isGreaterThan(2);
            assertThat(values.get("cgroup[x].throttledSeconds")).isPositive();
            assertThat(values)
                    .containsEntry("cgroup[x].cpus", 0.05)
                    .containsEntry("cgroup[x].memoryLimit", 67108864.0)
                    .containsEntry("cgroup[x].oomKills", 0.0);
            assertThat(values.get("cgroup[x].limitHits")).isNotNegative();
            assertThat(values.get("cgroup[x].memory")).isNotNegative();
        }
    }

    private static Process startInside(Path... groups) throws IOException {
        String join =
                Stream.of(groups)
                        .map(group -> "echo $$ > " + group + "/cgroup.procs; ")
                        .collect(Collectors.joining());
        return new ProcessBuilder("sh", "-c", join + "ulimit -t 60; while :; do :; done").start();
    }

    /// The kernel removes an ended process from its cgroup a moment after its parent has reaped it.
    private static void remove(Path group) {
        Readings.waitFor(
                "the cgroup is removed", () -> group.toFile().delete() || !group.toFile().exists());
    }
}
