package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Setting;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;

/// Services whose sockets may buffer less than clients send.
@Tag("sandbox")
class PlantedTcpMemoryTest extends PlantedTest {
    private static final String WALL = "tcp-memory";
    private static final Path LIMIT =
            Path.of("/sys/fs/cgroup/memory/memory.kmem.tcp.limit_in_bytes");

    @BeforeEach
    void assumeLimit() {
        assumeTrue(
                Files.exists(LIMIT.resolveSibling("memory.kmem.tcp.usage_in_bytes")),
                "only cgroups of version 1 limit TCP memory");
    }

    /// The kernel buffers the part of a body of 256 KB that the service has not read yet: at most
    /// 128 KB for each of 24 connections.
    private String bodies(String limit) throws Exception {
        Path body = Files.write(folder.resolve("body"), new byte[256 << 10]);
        return """
        services:
          planted:
            command: python3 $reads.py --port 8081 --latency 50
            tcpMemory: %s
            ready: { log: ready }
        sandbox: { server: { net.ipv4.tcp_rmem: "4096 131072 131072" } }
        load:
          url: http://{server}:8081/
          method: POST
          body: { file: %s }
          connections: 24
          warmup: 0s
          duration: 2s
        repeat: 3
        """
                .formatted(limit, body);
    }

    @Test
    void a_service_whose_sockets_may_buffer_too_little_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, bodies("512k"), 24);
        PlantedRun.assertNamedThoughBusy(trial, WALL, End.SERVER);
        // The evidence is the larger of the sampled maximum and the kernel's own high-water mark.
        assertThat(trial.diagnosis().headline().evidence().getFirst().name())
                .startsWith(CgroupFigure.TCP_MEMORY.of("planted").text());
        PlantedRun.assertEvidence(trial, KernelCounter.RECEIVE_DROPS.text());
        PlantedRun.assertEvidence(trial, KernelCounter.RETRANSMITS.text());
    }

    @Test
    @Tag("long")
    void sockets_that_use_more_than_half_of_their_limit_are_not_named() throws Exception {
        RunRecord.Trial trial = run.control(bodies("5m"), 24);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, CgroupFigure.TCP_MEMORY.of("planted")))
                .isGreaterThan(5 << 19);
    }

    @Test
    @Tag("long")
    void find_raises_the_limit_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(bodies("512k"), WALL, End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfLimit("planted", Limits.Kind.TCP_MEMORY), "512k", "8m");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
