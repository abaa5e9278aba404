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
import wallfinder.linux.SockDiag;
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

    private static BitSet cpusOf(long... roots) {
        try (SockDiag diag = SockDiag.open()) {
            return ServiceCpus.of(diag, roots);
        }
    }

    @Test
    void a_service_whose_threads_are_pinned_has_the_cpus_of_all_threads() throws Exception {
        assertThat(cpusOf(start(Role.PINS_EACH_THREAD, both))).isEqualTo(both);
    }

    @Test
    void the_cpus_of_doctor_are_those_of_all_threads() throws Exception {
        int pid = Math.toIntExact(start(Role.PINS_EACH_THREAD, both));
        assertThat(ProcessBounds.of(End.SERVER, List.of(pid), GIB))
                .filteredOn(bound -> bound.kind() == Bound.Kind.CPUS)
                .extracting(Bound::limit)
                .containsExactly(2.0);
    }

    /// As in a pod: the pause process comes first and may run anywhere.
    @Test
    void a_process_that_idles_without_a_socket_does_not_count() throws Exception {
        long pause = start(Role.IDLES, both);
        assertThat(cpusOf(pause, start(Role.LISTENS, second))).isEqualTo(second);
        assertThat(cpusOf(pause, start(Role.CONNECTS, first))).isEqualTo(first);
    }

    @Test
    void a_supervisor_of_pinned_workers_does_not_count() throws Exception {
        assertThat(cpusOf(start(Role.SUPERVISES, both))).isEqualTo(first);
    }

    @Test
    void a_process_beside_the_listener_that_connects_or_computes_counts() throws Exception {
        long listener = start(Role.LISTENS, first);
        assertThat(cpusOf(listener, start(Role.CONNECTS, second))).isEqualTo(both);
        assertThat(cpusOf(listener, start(Role.COMPUTES, second))).isEqualTo(both);
    }

    @Test
    void if_no_process_has_a_socket_all_count() throws Exception {
        assertThat(cpusOf(start(Role.IDLES, first), start(Role.IDLES, second))).isEqualTo(both);
    }

    @Test
    void a_service_that_has_ended_has_no_cpus() throws Exception {
        Process ended = started.add(PinnedProgram.start(Role.IDLES, first));
        ended.destroyForcibly().waitFor();
        assertThat(cpusOf(ended.pid())).isEqualTo(new BitSet());
    }
}
