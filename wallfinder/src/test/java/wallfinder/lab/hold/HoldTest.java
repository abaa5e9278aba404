package wallfinder.lab.hold;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.diagnosis.Limit;
import wallfinder.experiment.Gets;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.lab.doctor.Doctor;
import wallfinder.lab.trial.Origin;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// `hold` against a Python server on the host's loopback names the wall that stops it.
@Tag("sandbox")
@Timeout(120)
class HoldTest extends PlantedTest {
    private static final Hold.Means MEANS = new Hold.Means(false, 0);

    /// An echo server that accepts one connection at a time and rests after each.
    private static final String SERVER =
            """
            import selectors, socket, sys, time
            listener = socket.create_server(("127.0.0.1", 0), backlog=int(sys.argv[1]))
            listener.setblocking(False)
            poll = selectors.DefaultSelector()
            poll.register(listener, selectors.EVENT_READ)
            print(listener.getsockname()[1], flush=True)
            while True:
                for key, _ in poll.select():
                    try:
                        if key.fileobj is listener:
                            taken, _ = listener.accept()
                            poll.register(taken, selectors.EVENT_READ)
                            time.sleep(float(sys.argv[2]))
                            continue
                        data = key.fileobj.recv(65536)
                        if data:
                            key.fileobj.sendall(data)
                            continue
                    except OSError:
                        time.sleep(0.01)
                        if key.fileobj is listener:
                            continue
                    poll.unregister(key.fileobj)
                    key.fileobj.close()
            """;

    private Process server;
    private int port;

    @AfterEach
    void end() throws InterruptedException {
        server.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }

    /// @param words a command that runs the program, such as `prlimit`
    private void serve(int backlog, double restSeconds, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(List.of("python3", "-c", SERVER, "" + backlog, "" + restSeconds));
        server = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        port = Integer.parseInt(server.inputReader(StandardCharsets.US_ASCII).readLine());
    }

    private RunRecord.Trial held(int connections) {
        HoldSpec spec =
                new HoldSpec(
                        "127.0.0.1",
                        port,
                        1,
                        connections,
                        0,
                        new HoldSpec.Messages(
                                HoldSpec.Kind.ECHO,
                                Duration.ofMillis(100),
                                Duration.ZERO,
                                32,
                                Duration.ofSeconds(1)),
                        new HoldSpec.Opening(0, 128, Duration.ofSeconds(10)),
                        Duration.ZERO,
                        HoldSpec.OnError.COUNT,
                        Duration.ofSeconds(1));
        try (Hold hold = new Hold(spec, MEANS, Origin.parse(null, null), null, run.context())) {
            return hold.run(null);
        }
    }

    private static long alive(RunRecord.Trial trial) {
        return hold(trial).fate(LoadOutcome.Hold.ALIVE);
    }

    private static LoadOutcome.Hold hold(RunRecord.Trial trial) {
        return ((LoadOutcome.Held) trial.observation().load()).hold();
    }

    @Test
    void a_server_that_holds_all_connections_has_no_wall() throws IOException {
        serve(4096, 0);
        RunRecord.Trial trial = held(100);
        assertThat(alive(trial)).as(PlantedRun.describe(trial)).isEqualTo(100);
        assertThat(trial.objectiveMet()).isTrue();
        assertThat(trial.diagnosis().wallId().orElse("none"))
                .as(PlantedRun.describe(trial))
                .isNotIn("accept-queue", "file-descriptors", "ephemeral-ports");
        assertThat(trial.caveats()).isEmpty();
        assertThat(hold(trial).sockets())
                .containsExactly(
                        new LoadOutcome.Sockets(End.SERVER, 100),
                        new LoadOutcome.Sockets(End.CLIENT, 100));
    }

    @Test
    void other_connections_to_the_same_port_are_a_caveat() throws IOException {
        serve(4096, 0);
        try (Socket other = new Socket("127.0.0.1", port)) {
            RunRecord.Trial trial = held(50);
            assertThat(other.isConnected()).isTrue();
            assertThat(hold(trial).sockets())
                    .containsExactly(
                            new LoadOutcome.Sockets(End.SERVER, 51),
                            new LoadOutcome.Sockets(End.CLIENT, 51));
            assertThat(trial.diagnosis().caveats())
                    .filteredOn(caveat -> caveat.id().equals("sockets-differ"))
                    .hasSize(2)
                    .allMatch(caveat ->
                            caveat.advice().contains("51 established sockets")
                                    && caveat.advice().contains("50 connections alive"));
        }
    }

    @Test
    void a_server_without_descriptors_is_named() throws IOException {
        serve(4096, 0, "prlimit", "--nofile=128:128");
        RunRecord.Trial trial = held(200);
        assertThat(alive(trial)).as(PlantedRun.describe(trial)).isBetween(50L, 128L);
        assertThat(trial.objectiveMet()).isFalse();
        assertThat(trial.diagnosis().wallId())
                .as(PlantedRun.describe(trial))
                .contains("file-descriptors");
    }

    @Test
    void a_queue_that_is_too_short_for_the_connects_is_named() throws IOException {
        serve(4, 0.01);
        RunRecord.Trial trial = held(100);
        assertThat(trial.diagnosis().wallId())
                .as(PlantedRun.describe(trial))
                .contains("accept-queue");
    }

    /// `doctor` judges the same plan without opening a connection.
    @Test
    void doctor_names_the_limit_that_the_plan_meets_first() throws IOException {
        serve(4096, 0, "prlimit", "--nofile=128:128");
        List<Limit> ofOnePort = doctor(1);
        assertThat(ofOnePort.getFirst().wall()).isEqualTo("file-descriptors");
        assertThat(portsBindAt(doctor(3))).isGreaterThan(2 * portsBindAt(ofOnePort));
    }

    private List<Limit> doctor(int targetPorts) {
        LoadSpec.Http http =
                Gets.of("http://127.0.0.1:" + port + "/", 200, true, Duration.ofSeconds(1));
        List<InetAddress> anySource = List.of();
        Doctor.Asked asked =
                new Doctor.Asked(
                        Doctor.Here.CLIENT,
                        0,
                        0,
                        http,
                        true,
                        true,
                        targetPorts,
                        true,
                        anySource,
                        0,
                        true,
                        false);
        return Doctor.host(asked).limits();
    }

    private static double portsBindAt(List<Limit> limits) {
        return limits.stream()
                .filter(limit -> limit.wall().equals("ephemeral-ports"))
                .mapToDouble(Limit::hitAt)
                .findFirst()
                .orElseThrow();
    }
}
