package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Writer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.observation.End;
import wallfinder.observation.WaitFigure;

/// A server that forks more workers under load, as Apache's prefork does.
@Timeout(60)
class ForkedWaitsTest {
    /// Two workers. Each line that the program reads starts another one, or gives work to one.
    private static final String SERVER =
            """
            import os, sys, time
            reading, writing = os.pipe()
            def fork():
                if os.fork() == 0:
                    while True:
                        os.read(reading, 1)
                        time.sleep(60)
            fork()
            fork()
            print("ready", flush=True)
            for line in sys.stdin:
                if line.strip() == "fork":
                    fork()
                else:
                    os.write(writing, b"!")
            """;

    @Test
    void workers_that_were_forked_later_count_as_those_before() throws Exception {
        Process server = new ProcessBuilder("python3", "-c", SERVER).start();
        try (ProcessReader processes = new ProcessReader(End.SERVER, "x", server::pid)) {
            assertThat(server.inputReader().readLine()).isEqualTo("ready");
            WaitsReader reader = new WaitsReader(processes);
            UnloadedLook.take(
                    List.of(processes, reader), span -> LockSupport.parkNanos(span.toNanos()));
            Writer give = server.outputWriter();
            give.write("fork\n".repeat(4) + "work\n".repeat(6));
            give.flush();
            Readings.waitFor(
                    "all six work",
                    () -> {
                        Readings.inFull(processes);
                        return Readings.inFull(reader).get(WaitFigure.SLEEP.of("x").text()) == 6;
                    });
        } finally {
            server.descendants().forEach(ProcessHandle::destroyForcibly);
            server.destroyForcibly();
            assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
