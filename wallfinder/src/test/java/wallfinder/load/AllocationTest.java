package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.sandbox.JavaChild;

/// One object in ten million requests would be a handful of bytes; one per request is at least
/// sixteen. Allocations once per run are spread over the requests.
///
/// The count runs in a separate JVM with the options of the product. If the compiler does not
/// inline a native call, that call allocates an object, and in the JVM of the tests those methods
/// have many callers.
@Tag("slow")
@Timeout(300)
class AllocationTest {
    private static final double BYTES_MAX = 1;
    private static final List<String> OPTIONS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:MaxInlineLevel=40",
                    "-XX:CompileCommand=quiet",
                    "-XX:CompileCommand=dontinline,wallfinder.linux.NativeFunction::invoke",
                    "-Xmx256m",
                    "--add-modules=jdk.management");

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({
        "IO_URING, true, 100000",
        "EPOLL, true, 100000",
        "IO_URING, false, 20000",
        "EPOLL, false, 20000"
    })
    void a_request_allocates_nothing(String engine, boolean kept, String requests)
            throws Exception {
        try (QuickServer server = new QuickServer(kept)) {
            String port = Integer.toString(server.address().getPort());
            Path output = folder.resolve("output");
            Process counting =
                    JavaChild.start(
                            AllocationCount.class,
                            List.of(),
                            OPTIONS,
                            output,
                            port,
                            requests,
                            engine,
                            Boolean.toString(kept));
            try {
                assertThat(counting.waitFor(4, TimeUnit.MINUTES)).isTrue();
            } finally {
                counting.destroyForcibly();
            }
            String printed = Files.readString(output).strip();
            assertThat(counting.exitValue()).as(printed).isZero();
            assertThat(Double.parseDouble(printed)).isLessThan(BYTES_MAX);
        }
    }
}
