package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.profiling.KnownCosts;

/// Asks a JVM with 20 MB of live objects for its census.
@Tag("slow")
@Timeout(120)
class JvmCensusTest {
    private static final double MB = 1 << 20;

    private static final String KEEPING =
            """
            class Keeping {
                static byte[] kept = new byte[20 << 20];
                static java.nio.ByteBuffer direct = java.nio.ByteBuffer.allocateDirect(8 << 20);
                public static void main(String[] arguments) throws Exception {
                    byte[][] garbage = new byte[60][];
                    for (int i = 0; i < garbage.length; i++) {
                        garbage[i] = new byte[1 << 20];
                    }
                    garbage = null;
                    System.out.println("started");
                    Thread.sleep(60_000);
                }
            }
            """;

    /// Keeps 60 of 80 MB until all of it is old.
    private static final String SHARING =
            """
            class Sharing {
                static byte[][] all = new byte[80_000][];
                public static void main(String[] arguments) throws Exception {
                    for (int i = 0; i < all.length; i++) {
                        all[i] = new byte[1_000];
                    }
                    System.gc();
                    for (int i = 0; i < all.length; i++) {
                        all[i] = i % 4 == 0 ? all[i] : null;
                    }
                    System.out.println("started");
                    Thread.sleep(60_000);
                }
            }
            """;

    @TempDir static Path classes;

    @BeforeAll
    static void compile() {
        KnownCosts.compile(
                Runtime.version().feature(),
                classes,
                Map.of("Keeping", KEEPING, "Sharing", SHARING));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Serial", "Parallel", "G1"})
    void live_bytes_exclude_garbage(String collector) throws Exception {
        Process process =
                keeping("-XX:+Use" + collector + "GC", "-XX:NativeMemoryTracking=summary");
        try {
            JvmCensus census = JvmCensus.of(List.of(process.pid())).orElseThrow();
            assertThat(census.liveBytes()).isBetween(20 * MB, 40 * MB);
            assertThat(census.classes()).isBetween(400.0, 20_000.0);
            assertThat(census.codeBytes()).isBetween(0.5 * MB, 100 * MB);
            assertThat(census.directBytes()).isBetween(8 * MB, 20 * MB);
            assertThat(census.heapMaxBytes()).isBetween(190 * MB, 200 * MB);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /// Garbage that shares pages with live objects leaves them after the last pause.
    @Test
    void live_bytes_exclude_what_zgc_frees_after_its_last_pause() throws Exception {
        Process process = started("Sharing", "-XX:+UseZGC");
        try {
            assertThat(JvmCensus.liveBytes(List.of(process.pid()))).isBetween(20 * MB, 45 * MB);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void direct_buffers_are_unknown_without_native_memory_tracking() throws Exception {
        Process process = keeping("-XX:+UseSerialGC");
        try {
            JvmCensus census = JvmCensus.of(List.of(process.pid())).orElseThrow();
            assertThat(census.directBytes()).isNaN();
            assertThat(census.liveBytes()).isGreaterThan(20 * MB);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void a_process_that_is_not_a_jvm_has_no_census() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            assertThat(JvmCensus.of(List.of(process.pid()))).isEmpty();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private Process keeping(String... options) throws Exception {
        return started("Keeping", options);
    }

    private Process started(String name, String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of(options));
        command.addAll(List.of("-Xmx200m", "-cp", classes.toString(), name));
        Process process = new ProcessBuilder(command).start();
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        return process;
    }
}
