package wallfinder.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import wallfinder.StartedProcesses;
import wallfinder.sampling.PinnedProgram;
import wallfinder.sampling.PinnedProgram.Role;
import wallfinder.sandbox.CpuPlan;

/// Services with threads or processes that may run on different CPUs.
@Tag("sandbox")
@Timeout(60)
class WatchedServiceCpusTest {
    private static final Path TREE = Path.of("/sys/fs/cgroup");

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

    private static BitSet last(BitSet all) {
        BitSet last = new BitSet();
        last.set(all.length() - 1);
        return last;
    }

    @Test
    void a_service_that_pins_each_thread_has_all_their_cpus() throws Exception {
        BitSet all = severalCpus();
        try (WatchedService service = WatchedService.ofPid(start(Role.PINS_EACH_THREAD, all))) {
            assertThat(service.cpus()).isEqualTo(all);
            assertThat(service.facts().serverCpus()).isEqualTo(all.cardinality());
        }
    }

    /// The pause process of a pod is the first of its cgroup.
    @Test
    void a_pod_has_the_cpus_of_its_application() throws Exception {
        BitSet all = severalCpus();
        Path tree = Files.isDirectory(TREE.resolve("cpu")) ? TREE.resolve("cpu") : TREE;
        assumeTrue(Files.isWritable(tree), "SKIPPED: no writable cgroup here");
        Path pod = Files.createDirectory(tree.resolve("wallfinder-test-pod"));
        try {
            long pause = start(Role.IDLES, all);
            long application = start(Role.LISTENS, last(all));
            for (long pid : new long[] {pause, application}) {
                Files.writeString(pod.resolve("cgroup.procs"), Long.toString(pid));
            }
            try (WatchedService service =
                    WatchedService.of(new WatchSubject.OfCgroup(pod.toString()))) {
                assertThat(service.processes()).containsExactlyInAnyOrder(pause, application);
                assertThat(service.cpus()).isEqualTo(last(all));
            }
        } finally {
            started.all().forEach(Process::destroyForcibly);
            // The kernel removes an ended process from its cgroup a moment later.
            while (!pod.toFile().delete()) {
                Thread.onSpinWait();
            }
        }
    }
}
