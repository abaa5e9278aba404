package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.observation.End;
import wallfinder.observation.WaitFigure;

/// A pool that grows with the load, as those of Tomcat and Jetty do: while it has more threads than
/// it keeps, each of them waits for work with a time limit.
class PoolOfJvmTest {
    private static final String POOL =
            """
            import java.util.concurrent.*;
            void main() throws Exception {
                var queue = new LinkedBlockingQueue<Runnable>();
                var pool = new ThreadPoolExecutor(2, 8, 60, TimeUnit.SECONDS, queue);
                pool.prestartAllCoreThreads();
                IO.println("ready");
                IO.readln();
                pool.setCorePoolSize(6);
                pool.prestartAllCoreThreads();
                pool.setCorePoolSize(1);
                for (int i = 0; i < 60; i++) {
                    pool.execute(() -> {});
                }
                IO.println("grown");
                IO.readln();
                for (int i = 0; i < 3; i++) {
                    pool.execute(() -> {
                        try {
                            work(20);
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    });
                }
                IO.readln();
            }
            void work(int calls) throws InterruptedException {
                if (calls > 0) {
                    work(calls - 1);
                } else {
                    new ArrayBlockingQueue<Object>(1).poll(60, TimeUnit.SECONDS);
                }
            }
            """;

    @Test
    void threads_that_wait_for_work_with_a_time_limit_do_not_sleep(@TempDir Path folder)
            throws Exception {
        Path source = Files.writeString(folder.resolve("Pool.java"), POOL);
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Process pool = new ProcessBuilder(java.toString(), source.toString()).start();
        try (BufferedReader out = pool.inputReader();
                Writer in = pool.outputWriter();
                ProcessReader processes = new ProcessReader(End.SERVER, "x", pool::pid);
                WaitsReader reader = new WaitsReader(processes)) {
            assertThat(out.readLine()).isEqualTo("ready");
            Readings.inFull(processes);
            UnloadedLook.take(
                    List.of(processes, reader), span -> LockSupport.parkNanos(span.toNanos()));
            in.append('\n').flush();
            assertThat(out.readLine()).isEqualTo("grown");
            Readings.waitFor("none sleeps", () -> sleeping(processes, reader) == 0);
            in.append('\n').flush();
            // A reading looks at eight of those that did not run lately, which stand for all of
            // them.
            Readings.waitFor("three work", () -> sleeping(processes, reader) > 2);
        } finally {
            pool.destroyForcibly();
        }
    }

    private static double sleeping(ProcessReader processes, WaitsReader reader) {
        Readings.inFull(processes);
        return Readings.inFull(reader).get(WaitFigure.SLEEP.of("x").text());
    }
}
