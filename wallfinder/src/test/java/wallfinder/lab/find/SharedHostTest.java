package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import wallfinder.StartedProcesses;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.WallId;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.record.RunRecord;

/// `load URL` on the host's network, which the service shares with a program that looks names up
/// all the time. Both programs have a mount namespace of their own, in which they ask a slow name
/// server on the loopback.
@Tag("sandbox")
@Timeout(120)
class SharedHostTest extends PlantedTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    /// The loopback has an address for each process identifier. Several tests may run at the same
    /// time.
    private static final String NAME_SERVER = loopback(ProcessHandle.current().pid());

    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    private static String loopback(long pid) {
        return "127.%d.%d.%d".formatted(128 + (pid >> 16), pid >> 8 & 255, pid & 255);
    }

    @BeforeEach
    void answerSlowly() throws IOException {
        String names = PlantedRun.resource("names.py").toString();
        start("names", "python3", names, "--address", NAME_SERVER, "--delay", "300");
    }

    /// @return its port
    private int lookup(String... options) throws IOException {
        int port = freePort();
        Path resolver = folder.resolve("resolv-" + port);
        Files.writeString(resolver, "nameserver " + NAME_SERVER + "\n");
        List<String> words = new ArrayList<>();
        words.addAll(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c"));
        words.addAll(List.of("mount --bind \"$0\" /etc/resolv.conf && exec \"$@\""));
        words.addAll(List.of(resolver.toString(), "python3"));
        words.add(PlantedRun.resource("lookup.py").toString());
        words.addAll(List.of("--port", Integer.toString(port)));
        words.addAll(List.of(options));
        start("lookup-" + port, words.toArray(String[]::new));
        return port;
    }

    /// Starts a process that ends with this one.
    private void start(String name, String... words) throws IOException {
        Path log = folder.resolve(name + ".txt");
        List<String> all = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "--"));
        all.addAll(List.of(words));
        started.add(
                new ProcessBuilder(all)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start());
        long end = System.nanoTime() + BOUND.toNanos();
        while (!Files.readString(log).contains("ready") && System.nanoTime() < end) {
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(Files.readString(log)).contains("ready");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static LoadSpec.Http http(int port) {
        return Gets.of("http://127.0.0.1:" + port + "/", 16, true, Duration.ofSeconds(3));
    }

    @Test
    void a_service_that_waits_for_lookups_is_named() throws Exception {
        RunRecord.Trial trial = run.load(http(lookup("--workers", "4")));
        PlantedRun.assertWall(trial, "name-lookup", End.SERVER, "lookups.waiting");
    }

    @Test
    @Tag("long")
    void lookups_of_another_program_are_not_those_of_the_service() throws Exception {
        int ignored = lookup("--beside");
        int port = lookup("--keep", "1000", "--latency", "20");
        run.load(http(port)); // the service keeps the answer from now on
        RunRecord.Trial trial = run.load(http(port));
        assertThat(PlantedRun.largest(trial, EndFigure.LOOKUPS_WAITING)).isZero();
        assertThat(trial.diagnosis().ruledOut())
                .as(PlantedRun.describe(trial))
                .anySatisfy(out -> {
                    assertThat(out.wall().id()).isEqualTo(WallId.NAME_LOOKUP);
                    assertThat(out.because()).contains("no name lookup was seen waiting");
                });
    }
}
