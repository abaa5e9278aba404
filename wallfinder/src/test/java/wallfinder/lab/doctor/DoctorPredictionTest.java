package wallfinder.lab.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.Limit;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.lab.TrackedConnections;
import wallfinder.lab.find.Find;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Series;
import wallfinder.record.RunRecord;

/// `find` stops at the number that `doctor` predicts, without knowing the prediction. Each wall has
/// two sizes.
@Tag("sandbox")
@Tag("long")
class DoctorPredictionTest extends PlantedTest {
    private static final Percentage WITHIN = Percentage.withPercentage(5);

    /// On a shared machine a search may end at a starved generator. The test searches this often
    /// before it fails.
    private static final int ATTEMPTS_MAX = 5;

    private Limit predicted(String yaml, boolean probe, String wall, End end, String unit)
            throws Exception {
        Doctor.Findings findings =
                DoctorOfSandbox.experiment(run.experiment(yaml), probe, run.context());
        return findings.limits().stream()
                .filter(limit -> limit.wall().equals(wall))
                .filter(limit -> limit.end() == end && limit.unit().equals(unit))
                .min((a, b) -> Double.compare(a.hitAt(), b.hitAt()))
                .orElseThrow(() -> new AssertionError(wall + " is not in " + findings));
    }

    /// Climbs to the first wall and tries no remedy.
    private RunRecord.Trial stopped(String yaml) throws Exception {
        RunContext context = run.context();
        Interruption interruption = new Interruption();
        Progress progress =
                line -> {
                    if (line.startsWith("testing ")) {
                        interruption.request();
                    }
                };
        Find find =
                new Find(
                        TrialHosts.here(
                                new RunContext(
                                        context.home(),
                                        context.lock(),
                                        context.folder(),
                                        context.engine(),
                                        interruption,
                                        progress)));
        Find.Result result = find.run(run.experiment(yaml));
        return result.trials().getLast();
    }

    /// @param number the number at which the search stopped, in the unit of the prediction
    private void assertMet(Limit predicted, String yaml, ToDoubleFunction<RunRecord.Trial> number)
            throws Exception {
        RunRecord.Trial trial = stopped(yaml);
        for (int attempt = 2; attempt <= ATTEMPTS_MAX; attempt++) {
            double reached = number.applyAsDouble(trial);
            boolean met = Math.abs(reached / predicted.hitAt() - 1) <= WITHIN.value / 100;
            if ((met && named(trial, predicted)) || !disturbed(trial)) {
                break;
            }
            trial = stopped(yaml);
        }
        String details = predicted + "\n" + PlantedRun.describe(trial);
        assertThat(trial.diagnosis().wallId()).as(details).contains(predicted.wall());
        assertThat(trial.diagnosis().headline().end()).as(details).isEqualTo(predicted.end());
        assertThat(number.applyAsDouble(trial)).as(details).isCloseTo(predicted.hitAt(), WITHIN);
    }

    /// None of these services needs more CPU than it has, so the wall `cpu` is the host's.
    private static boolean disturbed(RunRecord.Trial trial) {
        return PlantedRun.starved(trial) || trial.diagnosis().wallId().equals(Optional.of("cpu"));
    }

    private static boolean named(RunRecord.Trial trial, Limit predicted) {
        return trial.diagnosis().wallId().equals(Optional.of(predicted.wall()));
    }

    /// By Little's law, the connections that get answers in a closed loop.
    private static double served(RunRecord.Trial trial) {
        LoadOutcome load = trial.observation().load();
        return load.throughput() * load.times().serviceNanos().getMean() / 1e9;
    }

    private static double throughput(RunRecord.Trial trial) {
        return trial.observation().load().throughput();
    }

    @ParameterizedTest
    @CsvSource({"32768 33023", "32768 33791"})
    void the_local_ports(String range) throws Exception {
        String yaml =
                """
                services:
                  planted: { command: python3 $server.py --port 8081 --backlog 4096,
                    ready: { log: ready } }
                sandbox:
                  server: { net.core.somaxconn: 4096 }
                  client: { net.ipv4.ip_local_port_range: "%s" }
                load: { command: "python3 $connect.py {server} 8081 1200 6",
                  measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }, duration: 20s }
                """
                        .formatted(range);
        Limit limit = predicted(yaml, false, "ephemeral-ports", End.CLIENT, "connections");
        assertThat(limit.setBy()).isEqualTo("net.ipv4.ip_local_port_range under sandbox: client");
        assertMet(limit, yaml, trial -> trial.observation().load().answered());
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 160})
    void the_connections_that_the_descriptors_allow(int nofile) throws Exception {
        String yaml =
                """
                services:
                  planted: { command: python3 $server.py --port 8081 --latency 50 --backlog 1024,
                    nofile: %d, ready: { log: ready } }
                sandbox: { server: { net.core.somaxconn: 4096 } }
                load: { url: "http://{server}:8081/", connections: %d, warmup: 0s, duration: 2s }
                """
                        .formatted(nofile, 2 * nofile);
        Limit limit = predicted(yaml, false, "file-descriptors", End.SERVER, "connections");
        assertThat(limit.limit()).isEqualTo(nofile);
        assertMet(limit, yaml, DoctorPredictionTest::served);
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 60})
    void the_connections_that_the_thread_limit_allows(int pids) throws Exception {
        String yaml =
                """
                services:
                  planted: { command: python3 $threads.py 8081 50, pids: %d, ready: { log: ready } }
                load: { url: "http://{server}:8081/", connections: %d, warmup: 0s, duration: 2s }
                """
                        .formatted(pids, 2 * pids);
        Limit limit = predicted(yaml, true, "thread-limit", End.SERVER, "connections");
        assertThat(limit.limit()).isEqualTo(pids);
        assertThat(limit.setBy()).endsWith("pids.max");
        assertMet(limit, yaml, DoctorPredictionTest::served);
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 160})
    void the_connections_at_once_that_the_effective_queue_holds(int backlog) throws Exception {
        String yaml =
                """
                services:
                  planted:
                    command: python3 $server.py --port 8081 --backlog %d --accept-pause 300
                    ready: { log: ready }
                sandbox: { server: { net.core.somaxconn: 4096 } }
                load: { url: "http://{server}:8081/", connections: %d, keepalive: false,
                  arrival: lockstep, warmup: 0s, duration: 2s }
                """
                        .formatted(backlog, 2 * backlog);
        Limit limit = predicted(yaml, false, "accept-queue", End.SERVER, "connections at once");
        assertThat(limit.setBy()).isEqualTo("the service, listen(..., " + backlog + ")");
        assertThat(limit.stops()).isTrue();
        assertMet(
                limit,
                yaml,
                trial ->
                        trial.observation()
                                .timeline()
                                .all(ListenFigure.QUEUE, End.SERVER)
                                .mapToDouble(Series::max)
                                .max()
                                .orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 12})
    void the_rate_of_a_pool_of_known_size(int workers) throws Exception {
        String yaml =
                """
                services:
                  planted:
                    command: python3 $server.py --port 8081 --workers {lanes} --latency 40
                    ready: { log: ready }
                    knobs: { lanes: { value: %d, moves: server-concurrency, max: 64 } }
                load: { url: "http://{server}:8081/", connections: %d, warmup: 0s, duration: 3s }
                """
                        .formatted(workers, 4 * workers);
        Limit limit = predicted(yaml, true, "server-concurrency", End.SERVER, "requests/s");
        assertThat(limit.setBy()).isEqualTo("lanes");
        assertMet(limit, yaml, DoctorPredictionTest::throughput);
    }

    /// Each request costs 8 ms. At 2 ms the wake-up would be a twelfth of the cost, and requests
    /// that arrive together share it.
    @ParameterizedTest
    @ValueSource(doubles = {0.2, 0.4})
    void the_rate_of_a_cpu_quota(double cpus) throws Exception {
        String yaml =
                """
                services:
                  planted:
                    command: python3 $server.py --port 8081 --cpu 8
                    cpus: %s
                    ready: { log: ready }
                load: { url: "http://{server}:8081/", connections: 16, warmup: 0s, duration: 4s }
                """
                        .formatted(String.format(Locale.ROOT, "%.2f", cpus));
        Limit limit = predicted(yaml, true, "cpu-quota", End.SERVER, "requests/s");
        assertThat(limit.limit()).isCloseTo(cpus, Percentage.withPercentage(1));
        assertMet(limit, yaml, DoctorPredictionTest::throughput);
    }

    /// The service sends its own requests over the connections of its pool.
    @ParameterizedTest
    @ValueSource(ints = {4, 12})
    void the_rate_of_a_pool_of_connections(int connections) throws Exception {
        String yaml =
                """
                services:
                  behind: { command: python3 $server.py --port 9090 --latency 40,
                    ready: { log: ready } }
                  planted:
                    command: python3 $front.py 8081 9090 {wires}
                    ready: { log: ready }
                    knobs: { wires: { value: %d, moves: client-connections, max: 64 } }
                load: { url: "http://{server}:8081/", connections: %d, warmup: 0s, duration: 3s }
                """
                        .formatted(connections, 4 * connections);
        Limit limit = predicted(yaml, true, "client-connections", End.SERVER, "requests/s");
        assertThat(limit.setBy()).isEqualTo("wires");
        assertMet(limit, yaml, DoctorPredictionTest::throughput);
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 120})
    void the_connections_for_which_the_conntrack_table_has_room(int left) throws Exception {
        TrackedConnections.assumeFillable();
        String yaml =
                """
                services:
                  planted: { command: python3 $server.py --port 8081 --latency 50 --backlog 1024,
                    ready: { log: ready } }
                  others: { command: python3 $conntrack.py -%d, ready: { log: ready } }
                load: { url: "http://{server}:8081/", connections: %d,
                  timeouts: { connect: 1500ms }, warmup: 0s, duration: 2s }
                """
                        .formatted(left, 2 * left);
        Limit limit = predicted(yaml, false, "conntrack-table", End.SERVER, "connections");
        assertThat(limit.stops()).isTrue();
        assertMet(limit, yaml, DoctorPredictionTest::served);
    }
}
