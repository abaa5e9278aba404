package wallfinder.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.BitSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import wallfinder.StartedProcesses;
import wallfinder.sampling.PinnedProgram;
import wallfinder.sampling.PinnedProgram.Role;
import wallfinder.sandbox.CpuPlan;

/// Services with threads that may run on different CPUs.
@Tag("sandbox")
@Timeout(60)
class WatchedServiceCpusTest {
    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    private long start(Role role, BitSet cpus) throws IOException {
        Process program = started.add(PinnedProgram.start(role, cpus));
        PinnedProgram.awaitPinned(program);
        return program.pid();
    }

    private static BitSet severalCpus() {
        BitSet all = CpuPlan.allowed();
        assumeTrue(all.cardinality() > 1, "this host has one CPU");
        return all;
    }

    @Test
    void a_service_that_pins_each_thread_has_all_their_cpus() throws Exception {
        BitSet all = severalCpus();
        try (WatchedService service = WatchedService.ofPid(start(Role.PINS_EACH_THREAD, all))) {
            assertThat(service.cpus()).isEqualTo(all);
            assertThat(service.facts().serverCpus()).isEqualTo(all.cardinality());
        }
    }
}
