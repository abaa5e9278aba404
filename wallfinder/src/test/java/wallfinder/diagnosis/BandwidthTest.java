package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.ShaperFigure;

class BandwidthTest {
    private static final String WALL = "bandwidth";
    private static final String SHAPER = "eth7 tbf 1:";

    /// Bytes a second: 40 Mbit/s.
    private static final double RATE = 5_000_000;

    /// Ten seconds of 64 connections whose answers take four times as long as alone.
    private static Recorded slower() {
        return Recorded.healthy().connections(64).responseMillis(64, 10_000).cpuShare(0.1);
    }

    private static Recorded shaped(Recorded load, End end, double share, double waits) {
        return load.grows(LinkFigure.SENT.of("eth7"), end, share * RATE * Recorded.SECONDS)
                .grows(ShaperFigure.SENT.of(SHAPER), end, share * RATE * Recorded.SECONDS)
                .level(ShaperFigure.RATE.of(SHAPER), end, RATE)
                .level(ShaperFigure.BACKLOG.of(SHAPER), end, waits > 0 ? 90_000 : 0)
                .grows(ShaperFigure.OVERLIMITS.of(SHAPER), end, waits)
                .grows(ShaperFigure.DROPS.of(SHAPER), end, 0);
    }

    /// A link of this speed, with these bytes in one direction.
    private static Recorded link(Recorded load, End end, Figure direction, double bytes) {
        return load.grows(LinkFigure.SENT.of("eth7"), end, 0)
                .grows(LinkFigure.RECEIVED.of("eth7"), end, 0)
                .grows(direction.of("eth7"), end, bytes)
                .level(LinkFigure.SPEED.of("eth7"), end, RATE);
    }

    private static String because(Diagnosis diagnosis) {
        return NotNamed.because(diagnosis, WallId.BANDWIDTH);
    }

    /// A link that is too slow drops packets, also those of the last answers.
    @ParameterizedTest
    @CsvSource({"1, THROUGHPUT", "2, THROUGHPUT", "3, ERRORS"})
    void one_or_two_lost_answers_at_the_end_are_not_its_harm(long unanswered, Harm harm) {
        Recorded few = slower().connections(16).unanswered(unanswered);
        Diagnosis diagnosis = shaped(few, End.SERVER, 0.98, 20_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(harm);
    }

    @Test
    void a_shaper_at_its_rate_is_named_with_its_readings() {
        Diagnosis diagnosis = shaped(slower(), End.SERVER, 0.98, 20_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        Evidence sent = diagnosis.headline().evidence().getFirst();
        assertThat(sent.name()).isEqualTo("shaper[eth7 tbf 1:].sent");
        assertThat(sent.basis()).isEqualTo(Basis.COUNTER);
        assertThat(sent.after()).isEqualTo(0.98 * RATE * Recorded.SECONDS);
        assertThat(sent.says())
                .isEqualTo(
                        "the server's eth7 tbf 1: sent 39.2 Mbit/s in 10.00 s, 98 % of its rate of 40.0 Mbit/s");
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "up to 90000 bytes were seen waiting there",
                        "the shaper held packets back 20000 times");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void the_clients_shaper_is_the_clients_wall() {
        Diagnosis diagnosis = shaped(slower(), End.CLIENT, 0.98, 20_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
    }

    /// Few workers with large answers.
    @Test
    void a_shaper_with_room_is_ruled_out() {
        Diagnosis diagnosis = shaped(slower(), End.SERVER, 0.7, 900).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(because(diagnosis)).contains("70 % of its rate of 40.0 Mbit/s");
    }

    @Test
    void a_queue_in_which_nothing_ever_waited_is_no_wall() {
        Diagnosis diagnosis = shaped(slower(), End.SERVER, 0.95, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void a_short_queue_that_drops_all_the_time_is_named_though_it_is_not_full() {
        Recorded dropping =
                shaped(slower(), End.SERVER, 0.75, 9_000)
                        .grows(ShaperFigure.DROPS.of(SHAPER), End.SERVER, 4_000)
                        .everySecond();
        Diagnosis diagnosis = dropping.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains("4000 packets were dropped because its queue was full");
    }

    @Test
    void a_burst_of_drops_proves_nothing() {
        Recorded burst =
                shaped(slower().everySecond(), End.SERVER, 0.75, 9_000)
                        .put(
                                ShaperFigure.DROPS.of(SHAPER),
                                End.SERVER,
                                0,
                                0,
                                0,
                                40,
                                40,
                                40,
                                40,
                                40,
                                40,
                                40,
                                40);
        assertThat(burst.diagnosed().wallId()).contains("server-concurrency");
    }

    @Test
    void a_full_shaper_without_harm_is_near() {
        Diagnosis diagnosis = shaped(Recorded.healthy(), End.SERVER, 0.95, 20_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(because(diagnosis)).endsWith("without harm to this load");
    }

    @Test
    void a_link_at_its_speed_is_named_in_its_direction() {
        Recorded full = link(slower(), End.SERVER, LinkFigure.RECEIVED, 9.5 * RATE);
        Diagnosis diagnosis = full.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .contains("eth7 received 38.0 Mbit/s in 10.00 s, 95 % of its speed");
        assertThat(new Bandwidth().advice(diagnosis.headline(), full.observation()))
                .extracting(Advice::command)
                .contains("a faster link, or several (bonding)");
    }

    @Test
    void a_link_without_a_speed_is_no_wall() {
        Recorded veth =
                link(slower(), End.SERVER, LinkFigure.SENT, 1e12)
                        .level(LinkFigure.SPEED.of("eth7"), End.SERVER, Double.NaN);
        Diagnosis diagnosis = veth.diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(because(diagnosis)).isEqualTo("no network link has a known speed or a shaper");
    }

    /// The 10,000 answers are 1 MB.
    @Test
    void on_a_host_the_bytes_of_other_programs_are_only_near() {
        Recorded others = link(slower().host(), End.SERVER, LinkFigure.SENT, 9.5 * RATE);
        assertThat(others.diagnosed().wallId()).contains("server-concurrency");
        assertThat(because(others.diagnosed())).endsWith("not the answers of this load");
    }

    @Test
    void on_a_host_a_link_is_full_of_the_answers_of_this_load() {
        Recorded own =
                link(
                        slower().host().responseMillis(64, 450_000),
                        End.SERVER,
                        LinkFigure.SENT,
                        9.5 * RATE);
        assertThat(own.diagnosed().wallId()).contains(WALL);
        Recorded loopback =
                link(
                        slower().host().responseMillis(64, 4_500_000),
                        End.SERVER,
                        LinkFigure.SENT,
                        9.5 * RATE);
        assertThat(loopback.diagnosed().wallId()).isEmpty();
    }

    @Test
    void a_link_that_both_ends_read_is_the_servers_if_it_sends_the_answers() {
        Recorded same = slower().host().responseMillis(64, 450_000);
        shaped(same, End.SERVER, 0.95, 20_000);
        shaped(same, End.CLIENT, 0.96, 20_000);
        Diagnosis diagnosis = same.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
    }

    @Test
    void without_readings_it_is_unknown() {
        assertThat(because(slower().diagnosed())).contains("the network links were not read");
    }
}
