package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.End;

/// A real cgroup of version 1.
@Tag("sandbox")
class CgroupReaderTest {
    private static final Path CPU = Path.of("/sys/fs/cgroup/cpu");
    private static final Path MEMORY = Path.of("/sys/fs/cgroup/memory");
    private static final String NAME = "wallfinder-test-" + ProcessHandle.current().pid();

    @Test
    void throttling_and_the_memory_limit_of_a_real_cgroup_are_read() throws Exception {
        assumeTrue(
                Files.isWritable(CPU.resolve("cpu.cfs_quota_us")) && Files.isWritable(MEMORY),
                "SKIPPED: no writable cgroup v1 here");
        Path cpu = Files.createDirectory(CPU.resolve(NAME));
        Path memory = Files.createDirectory(MEMORY.resolve(NAME));
        Process burner = null;
        try {
            Files.writeString(cpu.resolve("cpu.cfs_quota_us"), "5000");
            Files.writeString(memory.resolve("memory.limit_in_bytes"), "67108864");
            burner = startInside(cpu, memory);
            checkThrottling(new CgroupDirs(1, cpu, memory, null));
        } finally {
            if (burner != null) {
                burner.destroyForcibly();
                assertThat(burner.waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
            remove(cpu);
            remove(memory);
        }
    }

    /// As of a container in a pod, whose quota is that of the pod.
    @Test
    void the_quota_of_a_parent_is_read() throws Exception {
        assumeTrue(
                Files.isWritable(CPU.resolve("cpu.cfs_quota_us")) && Files.isWritable(MEMORY),
                "SKIPPED: no writable cgroup v1 here");
        Path pod = Files.createDirectory(CPU.resolve(NAME));
        Path container = Files.createDirectory(pod.resolve("container"));
        Path memory = Files.createDirectory(MEMORY.resolve(NAME));
        Process burner = null;
        try {
            Files.writeString(pod.resolve("cpu.cfs_quota_us"), "5000");
            burner = startInside(container, memory);
            String parent = "cgroup[x in " + NAME + "]";
            try (CgroupReader reader =
                    new CgroupReader(End.SERVER, "x", new CgroupDirs(1, container, memory, null))) {
                assertThat(Readings.inFull(reader))
                        .containsEntry(parent + ".cpus", 0.05)
                        .containsEntry("cgroup[x].cpus", 0.05);
                Readings.waitFor(
                        "the parent is throttled",
                        () -> Readings.of(reader).get(parent + ".throttledPeriods") > 3);
                assertThat(Readings.of(reader)).containsEntry("cgroup[x].throttledPeriods", 0.0);
            }
        } finally {
            if (burner != null) {
                burner.destroyForcibly();
                assertThat(burner.waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
            remove(container);
            remove(pod);
            remove(memory);
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
            if (holder != null) {
                holder.destroyForcibly();
                assertThat(holder.waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
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

    private static Process startInside(Path cpu, Path memory) throws IOException {
        String join = "echo $$ > " + cpu + "/cgroup.procs; echo $$ > " + memory + "/cgroup.procs; ";
        return new ProcessBuilder("sh", "-c", join + "ulimit -t 60; while :; do :; done").start();
    }

    /// The kernel removes an ended process from its cgroup a moment after its parent has reaped it.
    private static void remove(Path group) {
        Readings.waitFor("the cgroup is removed", () -> group.toFile().delete());
    }
}
