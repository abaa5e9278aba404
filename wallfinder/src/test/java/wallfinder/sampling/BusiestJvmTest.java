package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import wallfinder.StartedProcesses;

/// Of a service's two JVMs, one only launches the other, which keeps 20 MB.
@Tag("slow")
@Timeout(120)
class BusiestJvmTest {
    private static final int COLLECTIONS = 20;
    private static final int KEPT = 20_000;
    private static final double KEPT_BYTES = KEPT * 1024.0;

    @RegisterExtension final StartedProcesses started = new StartedProcesses();
    private Process launcher;
    private Process service;

    /// A program that keeps arrays and collects garbage.
    static final class Keeper {
        private Keeper() {}

        public static void main(String[] arguments) throws InterruptedException {
            byte[][] kept = new byte[Integer.parseInt(arguments[0])][];
            for (int i = 0; i < kept.length; i++) {
                kept[i] = new byte[1024];
            }
            for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
                System.gc();
            }
            System.out.println("started");
            Thread.sleep(Long.MAX_VALUE);
            System.out.println(kept.length);
        }
    }

    @BeforeEach
    void start() throws Exception {
        launcher = keeper(0, 0);
        service = keeper(KEPT, COLLECTIONS);
    }

    private Process keeper(int kept, int collections) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-XX:+UseSerialGC",
                                "-Xmx100m",
                                "-cp",
                                Path.of("target/test-classes").toAbsolutePath().toString(),
                                Keeper.class.getName(),
                                Integer.toString(kept),
                                Integer.toString(collections))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        return process;
    }

    @Test
    void the_census_is_that_of_the_jvm_whose_collector_worked_most() {
        List<Long> pids = List.of(launcher.pid(), service.pid());
        for (List<Long> order : List.of(pids, pids.reversed())) {
            JvmCensus census = JvmCensus.of(order).orElseThrow();
            assertThat(census.liveBytes()).isGreaterThan(KEPT_BYTES);
            assertThat(JvmCensus.liveBytes(order)).isGreaterThan(KEPT_BYTES);
        }
        assertThat(JvmCensus.liveBytes(List.of(launcher.pid()))).isLessThan(KEPT_BYTES);
    }
}
