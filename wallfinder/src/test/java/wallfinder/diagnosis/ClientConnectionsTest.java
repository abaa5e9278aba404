package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;

class ClientConnectionsTest {
    private static final String WALL = "client-connections";

    private static Recorded pooled(Recorded recorded, End end, double size, double busy) {
        return recorded.put(PortsFigure.CONNECTED.of("busiest"), end, 0, size, 0)
                .put(PortsFigure.BUSY.of("busiest"), end, 0, busy, 0);
    }

    private static Recorded threads(
            Recorded recorded, End end, String process, double receiving, double queueing) {
        return recorded.level(ProcessFigure.RECEIVING.of(process), end, receiving)
                .level(ProcessFigure.QUEUEING.of(process), end, queueing);
    }

    /// 64 clients are answered by 4 at a time, with an idle CPU.
    private static Recorded four() {
        return Recorded.healthy().responseMillis(240, 2_667).cpuShare(0.1);
    }

    @Test
    void a_service_whose_few_connections_are_always_busy_is_named_at_the_servers_end() {
        Diagnosis diagnosis = pooled(four(), End.SERVER, 4, 4).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .contains("ports[busiest].busy", "requests at work at once");
        assertThat(diagnosis.also()).isEmpty();
    }

    /// As with `-n`, which measures all requests and sends none alone. One connection to Redis may
    /// carry the requests of all.
    @Test
    void without_requests_alone_a_busy_connection_may_be_shared() {
        Recorded one = pooled(four().unloadedMillis(15, 0), End.SERVER, 1, 1);
        assertThat(one.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(NotNamed.of(one.diagnosed(), WallId.CLIENT_CONNECTIONS))
                .isInstanceOf(Judgement.Unknown.class);
    }

    @Test
    void connections_that_are_often_idle_are_not_what_a_service_waits_for() {
        assertThat(pooled(four(), End.SERVER, 4, 2).diagnosed().wallId())
                .contains("server-concurrency");
    }

    @Test
    void a_pool_as_large_as_the_load_stops_nobody() {
        assertThat(pooled(four(), End.SERVER, 64, 64).diagnosed().wallId())
                .contains("server-concurrency");
    }

    /// Four workers, each with a connection of its own.
    @Test
    void a_pool_of_threads_that_is_used_up_is_the_servers_concurrency() {
        Recorded workers = threads(pooled(four(), End.SERVER, 4, 4), End.SERVER, "users", 4, 0);
        assertThat(workers.diagnosed().wallId()).contains("server-concurrency");
        Recorded queue = threads(pooled(four(), End.SERVER, 4, 4), End.SERVER, "users", 4, 44);
        assertThat(queue.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_busy_pool_of_a_quick_service_is_not_named() {
        assertThat(pooled(Recorded.healthy(), End.SERVER, 4, 4).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
    }

    @Test
    void a_client_whose_threads_wait_for_a_connection_is_named_on_its_end() {
        Recorded client = pooled(Recorded.healthy().command(), End.CLIENT, 4, 4);
        Diagnosis diagnosis = threads(client, End.CLIENT, "load", 4, 28).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .contains("threads that wait for another");
    }

    /// The look finds the connections between their opening and the first request.
    @Test
    void a_first_look_without_requests_decides_nothing() {
        Recorded client =
                Recorded.healthy()
                        .command()
                        .put(PortsFigure.CONNECTED.of("busiest"), End.CLIENT, 0, 4, 4, 4)
                        .put(PortsFigure.BUSY.of("busiest"), End.CLIENT, 0, 0, 4, 0);
        assertThat(threads(client, End.CLIENT, "load", 4, 28).diagnosed().wallId()).contains(WALL);
    }

    /// As when a server answers all requests at the same moment.
    @Test
    void a_pool_that_is_idle_at_one_look_of_three_is_still_exhausted() {
        Recorded client =
                Recorded.healthy()
                        .command()
                        .put(PortsFigure.CONNECTED.of("busiest"), End.CLIENT, 0, 4, 4, 4, 4, 0)
                        .put(PortsFigure.BUSY.of("busiest"), End.CLIENT, 0, 4, 4, 0, 4, 0);
        Diagnosis diagnosis = threads(client, End.CLIENT, "load", 4, 28).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .contains("wait for an answer in 67 % of the time");
    }

    @Test
    void a_client_whose_threads_all_have_a_connection_is_not_named() {
        Recorded client = pooled(Recorded.healthy().command(), End.CLIENT, 32, 32);
        assertThat(threads(client, End.CLIENT, "load", 32, 0).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
    }

    /// The readers count only the service's own sockets there.
    @Test
    void a_pool_on_a_shared_network_is_named_with_its_destination() {
        Recorded shared = pooled(four().host(), End.SERVER, 4, 4);
        for (String address : List.of("127.0.0.1:9090", "127.0.0.1:9091")) {
            double connections = address.endsWith("0") ? 4 : 1;
            shared.put(DependencyFigure.CONNECTIONS.of(address), End.SERVER, 0, connections, 0);
        }
        Diagnosis diagnosis = shared.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .contains("4 outgoing connections to 127.0.0.1:9090, which wait");
    }

    @Test
    void the_connections_of_a_client_on_a_shared_network_are_those_of_all_programs() {
        Recorded client = pooled(Recorded.healthy().command().host(), End.CLIENT, 4, 4);
        assertThat(threads(client, End.CLIENT, "load", 4, 28).diagnosed().wallId())
                .isNotEqualTo(Optional.of(WALL));
    }
}
