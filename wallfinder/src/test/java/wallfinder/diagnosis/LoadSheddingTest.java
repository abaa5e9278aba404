package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;

/// Answers that turn bad with the load, and answers that were always bad.
class LoadSheddingTest {
    private static final String ERRORS = "answers-are-errors";

    private static boolean doubts(Diagnosis diagnosis) {
        return diagnosis.caveats().stream().map(Caveat::id).anyMatch(ERRORS::equals);
    }

    private static String because(Diagnosis diagnosis) {
        return NotNamed.because(diagnosis, WallId.LOAD_SHEDDING);
    }

    @Test
    void rejections_that_come_at_once_are_named() {
        Diagnosis diagnosis =
                Recorded.healthy().responseMillis(20, 8_000).bad(503, 0.3, 72_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NAMED);
        Judgement.Binds binds = diagnosis.headline();
        assertThat(binds.wall()).isEqualTo(new LoadShedding());
        assertThat(binds.end()).isEqualTo(End.SERVER);
        assertThat(binds.harm()).isEqualTo(Harm.ERRORS);
        assertThat(binds.evidence().stream().map(Evidence::says))
                .containsExactly(
                        "the service answers 503 to 90 % of the requests, but to none without load",
                        "half of the rejections came within 0.30 ms, half of the good answers within 20 ms");
        assertThat(binds.evidence().getFirst().after()).isEqualTo(72_000);
    }

    @Test
    void too_many_requests_are_named_too_and_so_is_a_service_that_rejects_all_of_its_load() {
        Diagnosis some = Recorded.healthy().bad(429, 0.3, 400).diagnosed();
        assertThat(some.wallId()).contains("load-shedding");
        Recorded all = Recorded.healthy().responseMillis(16, 0).bad(503, 0.2, 40_000);
        assertThat(all.diagnosed().wallId()).contains("load-shedding");
        assertThat(all.observation().load().throughput()).isZero();
    }

    /// A limit of 100 requests in 15 minutes. The requests alone come after the load.
    @Test
    void a_limit_for_minutes_that_the_load_used_up_is_named() {
        Recorded limited = Recorded.healthy().responseMillis(16, 100).alone(0, 20);
        Diagnosis diagnosis = limited.bad(429, 0.3, 90_000).diagnosed();
        assertThat(diagnosis.wallId()).contains("load-shedding");
        assertThat(doubts(diagnosis)).isFalse();
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo(
                        "the service answers 429 to 100 % of the requests, and after the load to a single request, too");
    }

    /// The limit was used up before, so nothing shows what the service could do.
    @Test
    void a_limit_that_others_had_used_up_is_a_doubt() {
        Recorded limited = Recorded.healthy().responseMillis(16, 0).alone(0, 20);
        Diagnosis diagnosis = limited.bad(429, 0.3, 90_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(doubts(diagnosis)).isTrue();
    }

    @Test
    void rejections_need_not_be_faster_than_cheap_answers() {
        Recorded cheap = Recorded.healthy().unloadedMillis(0.1);
        assertThat(cheap.responseMillis(0.10, 10_000).bad(503, 0.11, 90_000).diagnosed().wallId())
                .contains("load-shedding");
    }

    /// By a quarter, or by a millisecond.
    @ParameterizedTest
    @CsvSource({
        "20, 24.5, true",
        "20, 25.5, false",
        "0.1, 1.0, true",
        "0.1, 1.2, false",
    })
    void rejections_may_come_a_little_later_than_good_answers(
            double good, double rejected, boolean named) {
        Recorded recorded = Recorded.healthy().unloadedMillis(good).responseMillis(good, 10_000);
        assertThat(recorded.bad(503, rejected, 9_000).diagnosed().wallId().isPresent())
                .isEqualTo(named);
    }

    private static List<String> raised(Recorded recorded, String limit) {
        Knob knob = new Knob(limit, WallId.LOAD_SHEDDING, null, List.of());
        return RemedyTest.texts(recorded, Map.of("limit", knob), Limits.NONE);
    }

    /// The experiment has 256 connections.
    @Test
    void a_limit_is_at_least_doubled_and_admits_all_connections() {
        Recorded closed = Recorded.healthy().responseMillis(20, 10_000).bad(503, 0.3, 30_000);
        assertThat(raised(closed, "64")).containsExactly("limit 64 -> 256");
        assertThat(raised(closed, "1000")).containsExactly("limit 1000 -> 2000");
        assertThat(raised(closed.connections(512), "64")).containsExactly("limit 64 -> 512");
    }

    @Test
    void a_limit_on_the_rate_admits_all_that_an_open_loop_sends() {
        Recorded open = Recorded.healthy().responseMillis(20, 10_000).bad(503, 0.3, 30_000);
        assertThat(raised(open.open(0, 0), "1000")).containsExactly("limit 1000 -> 4000");
        assertThat(raised(open.open(0, 0), "32")).containsExactly("limit 32 -> 256");
        Recorded none = Recorded.healthy().responseMillis(20, 0).bad(503, 0.3, 30_000);
        assertThat(raised(none.open(0, 0), "32")).containsExactly("limit 32 -> 256");
    }

    @Test
    void slow_errors_are_not_load_shedding() {
        Diagnosis diagnosis =
                Recorded.healthy().responseMillis(20, 8_000).bad(503, 1_000, 200).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen())
                .startsWith("answers 503 to 2 % of the requests since the load");
        assertThat(because(diagnosis)).contains("but not at once");
    }

    /// One of twenty requests alone was rejected, too: half of the rejections have another reason.
    @Test
    void rejections_that_also_come_without_load_are_not_load_shedding() {
        Diagnosis diagnosis = Recorded.healthy().bad(503, 0.3, 4_000).alone(19, 1).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(because(diagnosis)).endsWith("but one request alone got a bad answer, too");
    }

    @Test
    void rejections_among_other_bad_answers_are_not_load_shedding() {
        Recorded some = Recorded.healthy().bad(503, 0.3, 4_000).bad(500, 0.3, 1_000);
        assertThat(some.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(because(some.diagnosed())).endsWith("not all of them reject the request");
    }

    @Test
    void other_bad_answers_that_begin_with_the_load_are_described() {
        Diagnosis diagnosis = Recorded.healthy().bad(500, 5, 5_455).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen())
                .isEqualTo("answers 500 to 12 % of the requests since the load began");
        assertThat(because(diagnosis)).isEqualTo("no answer was an unexpected 429 or 503");
    }

    @Test
    void a_service_that_answers_badly_without_load_has_no_wall() {
        Recorded recorded =
                Recorded.healthy()
                        .responseMillis(16, 0)
                        .bad(503, 0.3, 90_000)
                        .alone(0, 20)
                        .cpuShare(0.99)
                        .idleShare(0.0);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.headline()).isNull();
        assertThat(doubts(diagnosis)).isTrue();
    }

    /// One of twenty targets does not exist, with and without load.
    @Test
    void bad_answers_that_were_there_before_the_load_are_a_doubt_and_no_harm() {
        Diagnosis diagnosis = Recorded.healthy().bad(404, 5, 2_000).alone(19, 1).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(doubts(diagnosis)).isTrue();
        assertThat(doubts(Recorded.healthy().diagnosed())).isFalse();
    }

    @Test
    void a_rejection_or_two_of_many_is_no_harm() {
        Diagnosis diagnosis = Recorded.healthy().bad(503, 0.3, 20).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats().stream().map(Caveat::id)).contains("near:load-shedding");
    }
}
