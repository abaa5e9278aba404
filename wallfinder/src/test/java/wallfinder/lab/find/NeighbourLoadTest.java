package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
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
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.RunRecord;

/// `load URL` where the service is in a network namespace of its own, as in a container. A veth
/// pair joins it to the host. The kernel removes the pair with the namespace, which ends with a
/// process.
@Tag("sandbox")
@Timeout(120)
class NeighbourLoadTest extends PlantedTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int PORT = 8081;

    @RegisterExtension final StartedProcesses started = new StartedProcesses();
    private String link;
    private Process holder;

    /// Begins the addresses of this pair. Several tests may run at the same time.
    private String subnet;

    @BeforeEach
    void connect() throws Exception {
        holder = start(folder, "unshare", "--net", "sh", "-c", "echo ready; exec sleep 1000");
        link = "wft" + holder.pid();
        String pid = Long.toString(holder.pid());
        command("ip", "link", "add", link, "type", "veth", "peer", "name", "wft0", "netns", pid);
        subnet = "10.231.%d.".formatted(holder.pid() % 256);
        command("ip", "addr", "add", subnet + "1/24", "dev", link);
        command("ip", "link", "set", link, "up");
        for (String address : List.of(first(), second())) {
            inside("ip", "addr", "add", address + "/24", "dev", "wft0");
        }
        inside("ip", "link", "set", "wft0", "up");
    }

    /// An address that a service can listen on.
    private String first() {
        return subnet + "2";
    }

    /// Another one.
    private String second() {
        return subnet + "3";
    }

    @AfterEach
    void end() throws Exception {
        new ProcessBuilder("ip", "link", "del", link).start().waitFor();
    }

    /// Starts a process that ends with this one.
    private Process start(Path logs, String... words) throws IOException {
        Path log = logs.resolve("process-" + started.all().size() + ".txt");
        List<String> all = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "--"));
        all.addAll(List.of(words));
        Process process =
                new ProcessBuilder(all)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        started.add(process);
        long end = System.nanoTime() + BOUND.toNanos();
        while (!Files.readString(log).contains("ready") && System.nanoTime() < end) {
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(Files.readString(log)).contains("ready");
        return process;
    }

    private static void command(String... words) throws Exception {
        Process process = new ProcessBuilder(words).inheritIO().start();
        assertThat(process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", words)).isZero();
    }

    private String[] within(String... words) {
        List<String> all = new ArrayList<>();
        all.addAll(List.of("nsenter", "-t", Long.toString(holder.pid()), "-n"));
        all.addAll(List.of(words));
        return all.toArray(String[]::new);
    }

    private void inside(String... words) throws Exception {
        command(within(words));
    }

    private Process server(String address, String... options) throws IOException {
        List<String> words = new ArrayList<>();
        words.addAll(List.of("python3", PlantedRun.resource("server.py").toString()));
        words.addAll(List.of("--host", address, "--port", Integer.toString(PORT)));
        words.addAll(List.of(options));
        return start(folder, within(words.toArray(String[]::new)));
    }

    private static LoadSpec.Http http(String address) {
        return Gets.of("http://" + address + ":" + PORT + "/", 24, false, Duration.ofMillis(2_500));
    }

    @Test
    void a_full_accept_queue_is_named_with_the_counters_of_the_services_namespace()
            throws Exception {
        Process service = server("0.0.0.0", "--backlog=4", "--accept-pause=50", "--latency=20");
        RunRecord.Trial trial = run.load(http(first()));
        PlantedRun.assertWall(trial, "accept-queue", End.SERVER, "TcpExt.ListenOverflows");
        SandboxFacts facts = trial.observation().facts();
        assertThat(facts.isolation()).isEqualTo(SandboxFacts.SERVER_APART);
        assertThat(facts.serverWatched()).isTrue();
        assertThat(facts.services().getFirst().pid()).isEqualTo(service.pid());
        assertThat(run.output()).contains("a network namespace of its own");
        assertThat(PlantedRun.growth(trial, KernelCounter.LISTEN_OVERFLOWS)).isPositive();
    }

    /// Two services listen on the same port, each on an address of its own.
    @Test
    @Tag("long")
    void of_two_services_on_one_port_the_one_behind_the_address_is_watched() throws Exception {
        Process full = server(first(), "--backlog=4", "--accept-pause=50", "--latency=20");
        Process roomy = server(second(), "--backlog=64", "--latency=20");
        RunRecord.Trial atFull = run.load(http(first()));
        RunRecord.Trial atRoomy = run.load(http(second()));
        assertThat(atFull.observation().facts().services().getFirst().pid()).isEqualTo(full.pid());
        PlantedRun.assertWall(atFull, "accept-queue", End.SERVER, "TcpExt.ListenOverflows");
        assertThat(PlantedRun.largest(atFull, ListenFigure.SOCKETS.of(PORT))).isEqualTo(1);
        assertThat(atRoomy.observation().facts().services().getFirst().pid())
                .isEqualTo(roomy.pid());
        assertThat(PlantedRun.largest(atRoomy, ListenFigure.LIMIT.of(PORT))).isEqualTo(64);
        assertThat(atRoomy.diagnosis().ruledOut())
                .as(PlantedRun.describe(atRoomy))
                .anySatisfy(out -> assertThat(out.wall().id()).isEqualTo(WallId.ACCEPT_QUEUE));
    }
}
