package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.HandshakeCost;
import wallfinder.observation.HandshakeCost.Phase;
import wallfinder.observation.LoadFigure;

class TlsHandshakesTest {
    private static final String WALL = "tls-handshakes";
    private static final Phase REST = new Phase(0, 0.2, 0);

    /// 5 ms for a handshake, and 0.1 ms for a connection without one.
    private static final HandshakeCost COST =
            new HandshakeCost(REST, new Phase(500, 0.1, 0.05), new Phase(100, 0.6, 0.51));

    /// A service at its CPU with 2,000 answers in 10 s.
    private static Recorded full(long handshakes, long resumed) {
        return Recorded.healthy()
                .unloadedMillis(8)
                .responseMillis(320, 2_000)
                .cpuShare(0.98)
                .contended(0, 0)
                .handshakes(handshakes, resumed)
                .handshakeAlone(COST);
    }

    private static Judgement.NotBinding judged(Diagnosis diagnosis) {
        return NotNamed.of(diagnosis, WallId.TLS_HANDSHAKES);
    }

    @Test
    void a_handshake_for_each_answer_is_named_instead_of_the_cpu() {
        Diagnosis diagnosis = full(2_000, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "the load made 2000 full handshakes for 2000 answers",
                        "a handshake alone takes 5.00 ms of CPU: 2000 of them are 10.00 CPU seconds"
                                + " in 10.00 s",
                        "without load, the services used 0.51 CPU seconds for 100 handshakes, and"
                                + " 0.05 CPU seconds for 500 connections without one",
                        "users used 9.80 CPU seconds in 10.00 s (0.98 of 1 CPU)");
        assertThat(NotNamed.because(diagnosis, WallId.CPU))
                .startsWith("TLS handshakes take most of it");
    }

    /// 1,100 handshakes of 5 ms are 56 % of 9.8 CPU seconds.
    @Test
    void answers_that_take_about_as_long_as_the_handshakes_are_at_the_cpu() {
        Diagnosis diagnosis = full(1_100, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(judged(diagnosis).because())
                .isEqualTo(
                        "the load made 1100 full handshakes for 2000 answers, and handshakes take"
                                + " 56 % of the services' CPU time");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 64, 990})
    void few_full_handshakes_are_no_part_of_each_answer(long handshakes) {
        Diagnosis diagnosis = full(handshakes, 2_000 - handshakes).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(judged(diagnosis)).isInstanceOf(Judgement.Clear.class);
    }

    @Test
    void a_service_with_cpu_left_is_not_named() {
        Diagnosis diagnosis = full(2_000, 0).cpuShare(0.5).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(judged(diagnosis)).isInstanceOf(Judgement.Clear.class);
    }

    @Test
    void a_quota_that_stops_the_service_is_named_first() {
        Diagnosis diagnosis =
                full(2_000, 0)
                        .grows(CgroupFigure.PERIODS.of("users"), End.SERVER, 100)
                        .grows(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, 98)
                        .grows(CgroupFigure.THROTTLED_SECONDS.of("users"), End.SERVER, 7.5)
                        .level(CgroupFigure.CPU_QUOTA.of("users"), End.SERVER, 1)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu-quota");
        assertThat(judged(diagnosis).because()).startsWith("the CPU quota ends first");
    }

    @Test
    void a_service_as_fast_as_alone_is_only_near() {
        Diagnosis diagnosis = full(2_000, 0).unloadedMillis(319).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(judged(diagnosis)).isInstanceOf(Judgement.Near.class);
    }

    @Test
    void without_the_cost_of_a_handshake_the_wall_is_unknown() {
        Diagnosis diagnosis =
                full(2_000, 0)
                        .handshakeAlone(
                                new HandshakeCost(
                                        REST, new Phase(500, 0.1, 0.05), new Phase(9, 0.6, 0.04)))
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(judged(diagnosis)).isInstanceOf(Judgement.Unknown.class);
    }

    @Test
    void a_load_without_tls_rules_it_out() {
        assertThat(judged(Recorded.healthy().diagnosed()).because())
                .isEqualTo("the load uses no TLS");
    }

    @Test
    void a_load_command_does_not_count_handshakes() {
        assertThat(judged(Recorded.healthy().command().diagnosed()))
                .isInstanceOf(Judgement.Unknown.class);
    }

    @Test
    void others_on_its_cpu_are_named_first() {
        Diagnosis diagnosis =
                full(2_000, 0)
                        .cpuShare(0.4)
                        .contended(0.6, 0.6)
                        .grows(LoadFigure.GENERATOR_CPU, End.CLIENT, 3)
                        .grows(LoadFigure.GENERATOR_PROGRAM_CPU, End.CLIENT, 3)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu-steal");
        assertThat(judged(diagnosis).because()).startsWith("others use its CPUs");
    }

    @Test
    void what_a_service_uses_at_rest_is_no_cost_of_a_handshake() {
        HandshakeCost busy =
                new HandshakeCost(
                        new Phase(0, 0.2, 0.1), new Phase(100, 0.2, 0.11), new Phase(50, 0.4, 0.3));
        assertThat(busy.cpuSecondsEach()).isCloseTo(0.0019, within(1e-9));
    }
}
