package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Body;
import wallfinder.experiment.Expectation;
import wallfinder.experiment.Header;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.Timeouts;
import wallfinder.experiment.TlsSpec;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.SourceRange;
import wallfinder.load.EngineChoice;
import wallfinder.load.Share;
import wallfinder.remote.Frames;

class LoadSplitTest {
    static LoadSpec.Http http(Arrival arrival) {
        return new LoadSpec.Http(
                "https://far:8443",
                List.of(
                        new RequestSpec(
                                "POST",
                                "/{counter}",
                                List.of(new Header("Accept", "text/{random:1-9}")),
                                new Body.Text("{counter}"),
                                3),
                        new RequestSpec("GET", "/", List.of(), null, 1)),
                true,
                101,
                2,
                false,
                arrival,
                Duration.ofSeconds(7),
                1_003,
                Duration.ofSeconds(5),
                Timeouts.whole(Duration.ofSeconds(3)),
                null,
                new TlsSpec(null, null, null, true, "1.3", false),
                new Expectation(List.of("2xx", "404"), "ok"),
                List.of());
    }

    static List<Arrival> arrivals() {
        return List.of(
                new Arrival.Closed(),
                new Arrival.Rate(0.25),
                new Arrival.Poisson(1e6, 17L),
                new Arrival.Stages(
                        List.of(
                                new Arrival.Stage(Duration.ofSeconds(3), 0, 50),
                                new Arrival.Stage(Duration.ofDays(2), 1e7, 0))));
    }

    /// 1,001 connections to two ports.
    static HoldSpec held() {
        return new HoldSpec(
                "10.0.0.9",
                8081,
                2,
                1_001,
                3,
                new HoldSpec.Messages(
                        HoldSpec.Kind.ECHO,
                        Duration.ofSeconds(1),
                        Duration.ofMillis(100),
                        32,
                        Duration.ofSeconds(10)),
                new HoldSpec.Opening(500, 129, Duration.ofSeconds(5)),
                Duration.ofSeconds(60),
                HoldSpec.OnError.RECONNECT,
                Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 50})
    void held_connections_add_up_and_arrive_as_they_were_sent(int count) throws Exception {
        List<LoadMessage.Hold> parts =
                LoadSplit.of(held(), List.of(), Collections.nCopies(count, "a"), count, 1L << 30);
        assertThat(parts.stream().mapToInt(p -> p.spec().connections()).sum()).isEqualTo(1_001);
        assertThat(parts.stream().mapToInt(p -> p.spec().opening().atOnce()).sum()).isEqualTo(129);
        assertThat(parts.stream().mapToDouble(p -> p.spec().opening().perSecond()).sum())
                .isCloseTo(500, within(1e-6));
        assertThat(parts.getLast().ofHost()).isEqualTo(new Share(count - 1, count));
        for (LoadMessage.Hold part : parts) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new Message.OfLoad(part).send(out);
            byte[] frame = Frames.read(new ByteArrayInputStream(out.toByteArray()));
            assertThat(Message.read(frame)).isEqualTo(new Message.OfLoad(part));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 50})
    void the_parts_add_up_and_arrive_as_they_were_sent(int count) throws Exception {
        List<String> hosts = new ArrayList<>(Collections.nCopies(count, "a"));
        hosts.set(count / 2, "b");
        List<InetAddress> sources = SourceRange.parse("10.0.0.1-10.0.0.60");
        for (Arrival arrival : arrivals()) {
            LoadSpec.Http whole = http(arrival);
            List<LoadMessage.Plan> parts =
                    LoadSplit.of(whole, sources, hosts, count, EngineChoice.EPOLL, count % 2 == 0);
            assertThat(parts.stream().mapToInt(p -> p.http().connections()).sum()).isEqualTo(101);
            assertThat(parts.stream().mapToLong(p -> p.http().requestsMax()).sum())
                    .isEqualTo(1_003);
            assertThat(parts.stream().flatMap(p -> p.sources().stream()).toList())
                    .isEqualTo(sources);
            assertThat(parts.getLast().share()).isEqualTo(new Share(count - 1, count));
            assertThat(parts.get(count / 2).ofHost()).isEqualTo(Share.WHOLE);
            for (LoadMessage.Plan part : parts) {
                assertThat(part.http().arrival()).isEqualTo(arrival);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                new Message.OfLoad(part).send(out);
                byte[] frame = Frames.read(new ByteArrayInputStream(out.toByteArray()));
                assertThat(Message.read(frame)).isEqualTo(new Message.OfLoad(part));
            }
        }
    }

    /// With fewer connections than generators, only the first ones drive.
    @Test
    void a_generator_has_the_same_source_addresses_if_others_do_not_drive() {
        List<InetAddress> sources = SourceRange.parse("10.0.0.1-10.0.0.7");
        List<String> hosts = List.of("a", "b", "c");
        List<LoadMessage.Plan> all = loads(sources, hosts, 3);
        List<LoadMessage.Plan> two = loads(sources, hosts, 2);
        assertThat(all.stream().map(p -> p.sources().size())).containsExactly(3, 2, 2);
        assertThat(two.stream().map(LoadMessage.Plan::sources))
                .containsExactly(all.get(0).sources(), all.get(1).sources());
        assertThat(two.stream().mapToInt(p -> p.http().connections()).sum()).isEqualTo(101);
        assertThat(LoadSplit.of(held(), sources, hosts, 1, 0).getFirst().sources())
                .isEqualTo(all.getFirst().sources());
    }

    private static List<LoadMessage.Plan> loads(
            List<InetAddress> sources, List<String> hosts, int count) {
        return LoadSplit.of(
                http(new Arrival.Closed()), sources, hosts, count, EngineChoice.EPOLL, false);
    }

    @Test
    void each_generator_may_connect_even_if_there_are_more_than_connects_at_a_time() {
        LoadSplit.check(held(), Origin.ANY, 130);
        List<LoadMessage.Hold> parts =
                LoadSplit.of(held(), List.of(), Collections.nCopies(130, "a"), 130, 0);
        assertThat(parts).hasSize(130).allMatch(part -> part.spec().opening().atOnce() == 1);
    }
}
