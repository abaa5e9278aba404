package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.diagnosis.Limit;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.UsageException;
import wallfinder.lab.doctor.Doctor;
import wallfinder.lab.doctor.DoctorOfSandbox;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// Experiments that hold connections to a server in a sandbox.
@Tag("sandbox")
@Timeout(240)
class HeldInSandboxTest extends PlantedTest {
    private static final String RANGE = "net.ipv4.ip_local_port_range";

    private static final String HELD =
            """
            services:
              planted: { command: python3 $mirror.py --ports 2 %s, ready: { log: ready } }
            sandbox: { client: { net.ipv4.ip_local_port_range: "%s" } }
            load: { hold: "tcp://{server}:8081-8082", interval: 2s, duration: 1s, %s }
            """;

    private static LoadOutcome.Hold hold(RunRecord.Trial trial) {
        return ((LoadOutcome.Held) trial.observation().load()).hold();
    }

    private RunRecord.Trial held(String yaml, int connections) throws Exception {
        RunRecord.Trial trial = run.control(yaml, connections);
        assertThat(hold(trial).fates()).as("%s", hold(trial).faults()).hasSize(1);
        assertThat(hold(trial).sockets())
                .containsExactly(
                        new LoadOutcome.Sockets(End.SERVER, connections),
                        new LoadOutcome.Sockets(End.CLIENT, connections));
        return trial;
    }

    /// With 10 local ports and two target ports, one address can hold 20 connections. So 70
    /// addresses are needed.
    @Test
    void the_sandbox_has_as_many_source_addresses_as_the_connections_need() throws Exception {
        RunRecord.Trial trial = held(HELD.formatted("", "20000 20009", "threads: 2"), 1_400);
        assertThat(hold(trial).fate(LoadOutcome.Hold.ALIVE)).isEqualTo(1_400);
        assertThat(trial.factors()).containsEntry("connections", "1400");
        assertThat(PlantedRun.doubts(trial)).doesNotContain("sockets-differ", "does-not-add-up");
    }

    @Test
    void connections_that_exceed_the_ports_of_one_address_are_refused_before_the_run() {
        String one = HELD.formatted("", "20000 20099", "source: \"{client}\"");
        assertThatThrownBy(() -> run.control(one, 201))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("201 connections")
                .hasMessageContaining("do not fit the local ports");
        String foreign = HELD.formatted("", "20000 20099", "source: 10.1.2.3");
        assertThatThrownBy(() -> run.control(foreign, 10))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("10.1.2.3");
    }

    /// Two processes hold the connections at the server's end, and two threads, each with its own
    /// descriptor table, at the client's.
    @Tag("slow")
    @Test
    void more_connections_are_held_than_one_table_has_descriptors() throws Exception {
        String many = HELD.formatted("--workers 2", "32768 60999", "memoryFloor: 512m");
        RunRecord.Trial trial = held(many.replace("interval: 2s", "interval: 20s"), 22_000);
        assertThat(PlantedRun.driven(trial).generator().threads()).isGreaterThan(1);
    }

    /// Without a remedy, nine of ten connects wait a second or more for a place in the queue.
    @Tag("slow")
    @Tag("long")
    @Test
    void find_raises_the_connections_and_moves_their_wall() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        """
                        services:
                          planted:
                            command: python3 $mirror.py --every 0.1 --backlog {room}
                            ready: { log: ready }
                            knobs: { room: { value: 4, moves: accept-queue, max: 4096 } }
                        load: { hold: "tcp://{server}:8081", connections: 160, interval: 100ms,
                          duration: 1s }
                        repeat: 2
                        """,
                        "accept-queue",
                        End.SERVER);
        assertThat(rung.remedy().remedy().text()).startsWith("room 4 -> ");
        assertThat(run.output()).contains("connections alive: accept-queue");
    }

    @Test
    void doctor_names_the_limit_that_stops_an_experiment_with_held_connections() throws Exception {
        Experiment experiment =
                run.experiment(
                        HELD.formatted(
                                "", "20000 20099", "source: \"{client}\", connections: 201"));
        Doctor.Findings findings = DoctorOfSandbox.experiment(experiment, false, run.context());
        Limit first = findings.limits().getFirst();
        assertThat(first.wall()).isEqualTo("ephemeral-ports");
        assertThat(first.hitAt()).isEqualTo(200);
        assertThat(first.stops()).isTrue();
        Limit table = ofTable(findings);
        assertThat(table.stops()).isFalse();
        assertThat(table.note()).contains("stops nothing", "both ends are in this table");
        assertThat(table.hitAt()).isLessThanOrEqualTo(table.limit() / 2);
    }

    /// Nothing under `sandbox:` can change those of the host.
    @Test
    void doctor_says_which_limits_are_those_of_the_host() throws Exception {
        String yaml = HELD.formatted("", "20000 20099", "connections: 9");
        assertThat(limits(yaml, "fs."))
                .isNotEmpty()
                .allSatisfy(limit -> {
                    assertThat(limit.setBy()).doesNotContain("namespace");
                    assertThat(limit.moves()).allMatch(move -> move.startsWith("sysctl -w fs."));
                });
        assertThat(limits(yaml, RANGE))
                .extracting(Limit::setBy)
                .containsExactly(RANGE + " under sandbox: client");
        assertThat(limits(yaml.replaceAll("sandbox: .*\n", ""), RANGE))
                .extracting(Limit::setBy)
                .containsExactly(RANGE + ", the default of a new namespace");
    }

    private List<Limit> limits(String yaml, String setting) throws Exception {
        return DoctorOfSandbox.experiment(run.experiment(yaml), false, run.context())
                .limits()
                .stream()
                .filter(limit -> limit.setBy().startsWith(setting))
                .toList();
    }

    private static Limit ofTable(Doctor.Findings findings) {
        return findings.limits().stream()
                .filter(limit -> limit.wall().equals("socket-table"))
                .findFirst()
                .orElseThrow();
    }
}
