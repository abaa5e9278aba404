package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.WaitFigure;

class SlowDependencyTest {
    private static final String WALL = "slow-dependency";
    private static final String BACKEND = "10.0.0.7:5432";

    /// 64 connections and 1,000 answers/s, so 64 ms for an answer, of which one connection that
    /// waits for the backend is 1 ms. Alone it is 15 ms, at 50 answers/s.
    private static Recorded busy(double waiting, double connections) {
        return Recorded.healthy()
                .connections(64)
                .responseMillis(64, 10_000)
                .unloadedMillis(15)
                .cpuShare(0.1)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 0)
                .level(DependencyFigure.BUSY.of(BACKEND), End.SERVER, waiting)
                .level(DependencyFigure.CONNECTIONS.of(BACKEND), End.SERVER, connections);
    }

    /// @param aloneMillis how long one answer waits for the backend without load
    private static Diagnosis diagnosed(Recorded recorded, double aloneMillis) {
        return recorded.levelAlone(DependencyFigure.BUSY.of(BACKEND), 50 * aloneMillis / 1e3)
                .diagnosed();
    }

    private static String because(Diagnosis diagnosis) {
        return NotNamed.because(diagnosis, WallId.SLOW_DEPENDENCY);
    }

    @Test
    void a_wait_for_one_address_that_grew_with_the_load_is_named() {
        Diagnosis diagnosis = diagnosed(busy(60, 64), 13);
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        Evidence wait = diagnosis.headline().evidence().getFirst();
        assertThat(wait.name()).isEqualTo("budget.dependency:" + BACKEND);
        assertThat(wait.basis()).isEqualTo(Basis.DERIVED);
        assertThat(wait.before()).isCloseTo(13_000, within(1.0));
        assertThat(wait.after()).isCloseTo(60_000, within(1.0));
        assertThat(wait.says()).contains("waits for " + BACKEND + " for 13 ms alone, 60 ms");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void a_wait_as_long_as_without_load_is_not() {
        Diagnosis diagnosis = diagnosed(busy(13, 64), 13);
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(because(diagnosis)).contains("13 ms alone, 13 ms at this load");
    }

    /// The threads queue for the four connections; the backend answers as quickly as alone.
    @Test
    void a_small_pool_in_front_of_a_quick_service_is_the_clients_connections() {
        Recorded pool =
                busy(4, 4)
                        .responseMillis(64, 2_800)
                        .put(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 0, 4, 0)
                        .put(PortsFigure.BUSY.of("busiest"), End.SERVER, 0, 4, 0);
        assertThat(diagnosed(pool, 13).wallId()).contains("client-connections");
    }

    /// Next to it are twenty connections to a broker, on which the service waits for news, also
    /// while only one request is under way.
    @Test
    void a_small_pool_is_named_although_more_connections_lead_to_a_broker() {
        Recorded pool = broker(busy(4, 4).responseMillis(64, 2_800));
        Diagnosis diagnosis = diagnosed(pool, 13);
        assertThat(diagnosis.wallId()).contains("client-connections");
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .contains("4 outgoing connections to " + BACKEND);
    }

    /// The service answers as many requests a second alone as under load.
    @Test
    void connections_that_always_wait_for_news_are_no_used_up_pool() {
        Recorded flat = broker(busy(0.2, 4).responseMillis(1_280, 500));
        assertThat(diagnosed(flat, 4).wallId()).isNotEqualTo(Optional.of("client-connections"));
    }

    private static Recorded broker(Recorded recorded) {
        String broker = "10.0.0.9:9092";
        return recorded.level(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 20)
                .level(PortsFigure.BUSY.of("busiest"), End.SERVER, 20)
                .level(DependencyFigure.CONNECTIONS.of(broker), End.SERVER, 20)
                .level(DependencyFigure.BUSY.of(broker), End.SERVER, 20)
                .levelAlone(DependencyFigure.BUSY.of(broker), 20);
    }

    /// As gRPC does: a request waits 13 ms alone, and 1,000 a second wait on one connection.
    @Test
    void one_connection_for_many_requests_at_a_time_is_no_used_up_pool() {
        Recorded shared =
                busy(1, 1)
                        .put(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 0, 1, 0)
                        .put(PortsFigure.BUSY.of("busiest"), End.SERVER, 0, 1, 0);
        Diagnosis diagnosis = diagnosed(shared, 13);
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of("client-connections"));
        assertThat(diagnosis.ruledOut())
                .anySatisfy(
                        one -> assertThat(one.because()).contains("several requests at a time"));
    }

    /// The connections of each destination were counted at another moment than all of them.
    @Test
    void requests_that_share_a_connection_to_an_unknown_address_use_up_no_pool() {
        Recorded shared =
                busy(1, 2)
                        .put(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 0, 1, 0)
                        .put(PortsFigure.BUSY.of("busiest"), End.SERVER, 0, 1, 0);
        assertThat(NotNamed.because(diagnosed(shared, 13), WallId.CLIENT_CONNECTIONS))
                .contains("several requests at a time");
    }

    /// Four connections, always in use, and each answer takes three times as long as alone.
    @Test
    void a_used_up_pool_in_front_of_a_slow_service_is_named_by_the_service() {
        Recorded pool =
                busy(4, 4)
                        .responseMillis(64, 1_000)
                        .put(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 0, 4, 0)
                        .put(PortsFigure.BUSY.of("busiest"), End.SERVER, 0, 4, 0);
        Diagnosis diagnosis = diagnosed(pool, 13);
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void requests_that_wait_unread_do_not_hide_what_the_workers_wait_for() {
        Recorded workers = busy(25, 100).level(ListenFigure.UNREAD.of(8080), End.SERVER, 38);
        assertThat(diagnosed(workers, 13).wallId()).contains(WALL);
    }

    @Test
    void requests_that_wait_to_be_accepted_do_not_hide_what_the_workers_wait_for() {
        Recorded workers = busy(25, 100).listener(8080, 38, 4096, 0);
        assertThat(diagnosed(workers, 13).wallId()).contains(WALL);
    }

    /// A request waits 10 ms to be read, alone and under load. The wait for the backend grew by 16
    /// of 49 ms.
    @Test
    void a_wait_that_did_not_grow_is_no_part_of_the_extra_time() {
        Recorded unread = busy(20, 100).level(ListenFigure.UNREAD.of(8080), End.SERVER, 10);
        unread.levelAlone(ListenFigure.UNREAD.of(8080), 50 * 10 / 1e3);
        Diagnosis diagnosis = diagnosed(unread, 4);
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(diagnosis)).endsWith("other parts of an answer grew more");
    }

    @Test
    void of_several_destinations_the_one_whose_answers_grew_most_is_named() {
        String slow = "10.0.0.8:5432";
        Recorded both =
                busy(13, 100)
                        .level(DependencyFigure.BUSY.of(slow), End.SERVER, 47)
                        .level(DependencyFigure.CONNECTIONS.of(slow), End.SERVER, 100)
                        .levelAlone(DependencyFigure.BUSY.of(slow), 50 * 1 / 1e3);
        Diagnosis diagnosis = diagnosed(both, 13);
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence().getFirst().name())
                .isEqualTo("budget.dependency:" + slow);
        assertThat(new SlowDependency().advice(diagnosis.headline(), both.observation()))
                .extracting(Advice::command)
                .anySatisfy(what -> assertThat(what).contains("behind " + slow));
    }

    @Test
    void a_part_that_grew_less_than_another_one_is_not_the_cause() {
        Recorded locked = busy(23, 100).level(WaitFigure.LOCK.of("users"), End.SERVER, 40);
        Diagnosis diagnosis = diagnosed(locked, 13);
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(diagnosis)).endsWith("other parts of an answer grew more");
    }

    /// Each of them grew by a third of the extra time.
    @Test
    void several_destinations_are_slow_together() {
        Recorded shards = busy(20, 50);
        for (String shard : List.of("10.0.0.8:5432", "10.0.0.9:5432")) {
            shards.level(DependencyFigure.BUSY.of(shard), End.SERVER, 20)
                    .level(DependencyFigure.CONNECTIONS.of(shard), End.SERVER, 50)
                    .levelAlone(DependencyFigure.BUSY.of(shard), 50 * 4 / 1e3);
        }
        assertThat(diagnosed(shards, 4).wallId()).contains(WALL);
    }

    /// The walks over the sockets took so long that none was made during the load.
    @Test
    void a_destination_that_was_not_counted_under_load_is_unknown() {
        Recorded recorded = busy(Double.NaN, Double.NaN);
        recorded.level(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 64);
        assertThat(because(diagnosed(recorded, 13))).contains("not seen from the beginning");
    }

    @Test
    void a_busy_cpu_explains_the_wait() {
        Diagnosis diagnosis = diagnosed(busy(60, 64).cpuShare(0.99), 13);
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(because(diagnosis)).contains("but the CPU was busy");
    }

    /// A proxy that keeps no connection to the service behind it had none when the readers began.
    @Test
    void a_destination_that_was_not_read_without_load_is_unknown() {
        Recorded recorded = busy(60, 64).levelAlone(WaitFigure.SLEEP.of("users"), 0);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(because(diagnosis)).contains("without load was not seen");
    }

    @Test
    void missing_descriptors_explain_the_wait() {
        Recorded recorded =
                busy(60, 64)
                        .put(ProcessFigure.DESCRIPTORS.of("users"), End.SERVER, 60, 64, 64)
                        .put(ListenFigure.QUEUE.of(8080), End.SERVER, 0, 44, 44)
                        .unanswered(44)
                        .level(ProcessFigure.DESCRIPTOR_LIMIT.of("users"), End.SERVER, 64);
        Diagnosis diagnosis = diagnosed(recorded, 13);
        assertThat(diagnosis.wallId()).contains("file-descriptors");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void without_a_look_at_the_service_without_load_it_is_unknown() {
        Diagnosis diagnosis = busy(60, 64).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(because(diagnosis)).contains("without load was not seen");
    }

    /// On a shared network, too, the readers count only the connections of the service.
    @Test
    void connections_that_were_opened_after_the_beginning_are_unknown() {
        Recorded late = Recorded.healthy().host();
        late.put(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 0, 40, 40);
        assertThat(because(late.diagnosed())).contains("not seen from the beginning");
        late.level(PortsFigure.CONNECTED.of("busiest"), End.SERVER, Double.NaN);
        assertThat(because(late.diagnosed())).contains("not seen from the beginning");
        late.level(PortsFigure.CONNECTED.of("busiest"), End.SERVER, 0);
        assertThat(because(late.levelAlone(WaitFigure.SLEEP.of("users"), 0).diagnosed()))
                .isEqualTo("no answer was seen to wait for another service");
    }

    @Test
    void the_advice_names_the_service_to_look_at() {
        Recorded slow = busy(60, 64);
        Judgement.Binds binds = diagnosed(slow, 13).headline();
        assertThat(binds.wall().advice(binds, slow.observation()))
                .extracting(Advice::command)
                .first()
                .asString()
                .contains("`wallfinder watch` at the service behind " + BACKEND);
    }

    @Test
    void a_knob_of_the_other_service_is_raised_to_the_connections_of_the_load() {
        Recorded slow = busy(60, 64).levelAlone(DependencyFigure.BUSY.of(BACKEND), 50 * 13 / 1e3);
        Knob workers = new Knob("4", WallId.SLOW_DEPENDENCY, null, List.of());
        assertThat(RemedyTest.texts(slow, Map.of("backendWorkers", workers), Limits.NONE))
                .containsExactly("backendWorkers 4 -> 256");
    }

    /// Five connections, and the rate at which each of the four in use has three requests' time.
    @ParameterizedTest
    @CsvSource({"5, true", "5.2, false"})
    void a_pool_is_used_up_if_four_fifths_of_it_are_in_use(double connections, boolean named) {
        Recorded pool = busy(4, connections).responseMillis(64, 1_000);
        assertThat(diagnosed(pool, 13).wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }
}
