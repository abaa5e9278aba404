package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import wallfinder.StartedProcesses;
import wallfinder.observation.Bound;
import wallfinder.observation.End;
import wallfinder.sampling.PinnedProgram.Role;
import wallfinder.sandbox.CpuPlan;

@Timeout(60)
class ServiceCpusTest {
    private static final double GIB = 1 << 30;

    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    private final BitSet first = new BitSet();
    private final BitSet second = new BitSet();
    private final BitSet both = new BitSet();

    @BeforeEach
    void choose() {
        BitSet all = CpuPlan.allowed();
        assumeTrue(all.cardinality() > 1, "this host has one CPU");
        first.set(all.nextSetBit(0));
        second.set(all.nextSetBit(first.length()));
        both.or(first);
        both.or(second);
    }

    private long start(Role role, BitSet cpus) throws IOException {
        Process program = started.add(PinnedProgram.start(role, cpus));
        PinnedProgram.awaitPinned(program);
        return program.pid();
    }

    @Test
    void a_service_whose_threads_are_pinned_has_the_cpus_of_all_threads() throws Exception {
        assertThat(ServiceCpus.of(start(Role.PINS_EACH_THREAD, both))).isEqualTo(both);
    }

    @Test
    void the_cpus_of_doctor_are_those_of_all_threads() throws Exception {
        int pid = Math.toIntExact(start(Role.PINS_EACH_THREAD, both));
        assertThat(ProcessBounds.of(End.SERVER, List.of(pid), GIB))
                .filteredOn(bound -> bound.kind() == Bound.Kind.CPUS)
                .extracting(Bound::limit)
                .containsExactly(2.0);
    }

    @Test
    void the_processes_of_a_service_may_have_different_cpus() throws Exception {
        assertThat(ServiceCpus.of(start(Role.IDLES, first), start(Role.IDLES, second)))
                .isEqualTo(both);
    }

    @Test
    void a_service_that_has_ended_has_no_cpus() throws Exception {
        Process ended = started.add(PinnedProgram.start(Role.IDLES, first));
        ended.destroyForcibly().waitFor();
        assertThat(ServiceCpus.of(ended.pid())).isEqualTo(new BitSet());
    }
}
