package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.observation.Bound;
import wallfinder.observation.End;
import wallfinder.sampling.ProcessBounds;

/// A host whose processes have CPUs in their masks that are offline. A file over the kernel's list
/// of online CPUs takes all but one away.
@Tag("sandbox")
class OfflineCpusTest {
    private static final int FIRST_PROCESS = 1;

    private static final String FEWER =
            "mount --bind \"$0\" /sys/devices/system/cpu/online && exec \"$@\"";

    @TempDir Path folder;

    /// Prints its own CPUs and those of the first process.
    static final class Probe {
        public static void main(String[] arguments) {
            System.out.println("plan " + CpuPlan.text(CpuPlan.allowed()));
            double memoryBytes = 1 << 30;
            ProcessBounds.of(End.SERVER, List.of(FIRST_PROCESS), memoryBytes).stream()
                    .filter(bound -> bound.kind() == Bound.Kind.CPUS)
                    .forEach(bound -> System.out.printf("doctor %.0f%n", bound.limit()));
        }
    }

    @Test
    void only_online_cpus_are_planned_with_and_counted() throws Exception {
        BitSet all = CpuPlan.allowed();
        assumeTrue(all.cardinality() > 1, "this host has one CPU");
        String last = Integer.toString(all.length() - 1);
        Path online = Files.writeString(folder.resolve("online"), last + "\n");
        Path output = folder.resolve("probe.out");
        List<String> prefix = List.of("unshare", "--mount", "sh", "-c", FEWER, online.toString());
        Process process = JavaChild.start(Probe.class, prefix, output);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readAllLines(output)).containsExactly("plan " + last, "doctor 1");
    }
}
