package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Arrival;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// When a measurement raises a doubt, and when it does not yet.
class DoubtsTest {
    private static List<String> raised(Recorded recorded) {
        return raised(recorded.observation());
    }

    private static List<String> raised(Observation observation) {
        return Diagnosis.of(observation).caveats().stream().map(Caveat::id).toList();
    }

    private static String advice(Recorded recorded, String doubt) {
        return recorded.diagnosed().caveats().stream()
                .filter(caveat -> caveat.id().equals(doubt))
                .map(Caveat::advice)
                .findFirst()
                .orElse("");
    }

    private static Observation with(LoadOutcome load) {
        Observation healthy = Recorded.healthy().observation();
        return new Observation(load, healthy.timeline(), healthy.facts());
    }

    @ParameterizedTest
    @CsvSource({
        "10, 999, true",
        "10, 1000, false",
        "0.9, 40000, true",
        "1, 40000, false",
        "0.9, 0, false"
    })
    void few_answers_or_a_short_time_are_a_short_run(
            double seconds, long answers, boolean isShort) {
        Recorded recorded = Recorded.healthy().loadSeconds(seconds).responseMillis(16, answers);
        assertThat(raised(recorded).contains("short-run")).isEqualTo(isShort);
    }

    @ParameterizedTest
    @CsvSource({"2.9, true", "3, false"})
    void a_watch_of_less_than_three_seconds_is_short(double seconds, boolean isShort) {
        assertThat(raised(with(new LoadOutcome.Unseen(seconds))).contains("short-watch"))
                .isEqualTo(isShort);
    }

    @Test
    void more_than_one_repeated_request_in_a_thousand_is_a_doubt() {
        assertThat(raised(Recorded.healthy().repeated(40))).doesNotContain("requests-repeated");
        assertThat(advice(Recorded.healthy().repeated(41), "requests-repeated"))
                .startsWith("41 of 40,000 requests were sent again");
    }

    /// The generator sends every 10 ms what came due since then.
    @Test
    void gaps_between_requests_that_are_not_random_are_a_doubt() {
        Histogram gaps = new Histogram(3);
        gaps.recordValueWithCount(10_000_000, 40_000);
        Arrival.Poisson random = new Arrival.Poisson(4_000, 1L);
        Recorded recorded =
                Recorded.healthy()
                        .open(new LoadOutcome.Loop.Open(random, 0, new Histogram(3), gaps));
        assertThat(raised(recorded)).contains("not-poisson");
    }

    /// Connections that are opened once, so that their fate does not depend on it.
    @ParameterizedTest
    @CsvSource({"0.9, false", "2.5, true"})
    void messages_on_held_connections_that_are_sent_late_are_a_doubt(
            double lateMillis, boolean isLate) {
        LoadOutcome.Requests idle =
                (LoadOutcome.Requests) Recorded.healthy().open(lateMillis, 0).observation().load();
        LoadOutcome.Hold hold =
                new LoadOutcome.Hold(
                        "echoed",
                        32,
                        1,
                        new TreeMap<>(Map.of(LoadOutcome.Hold.ALIVE, 64L)),
                        0,
                        1,
                        40_000,
                        9,
                        0.1,
                        new Histogram(3),
                        64,
                        100_000_000,
                        List.of(),
                        List.of());
        Observation held =
                with(
                        new LoadOutcome.Held(
                                idle.engine(),
                                64,
                                idle.loop(),
                                idle.seconds(),
                                idle.exchanges(),
                                idle.failures(),
                                idle.times(),
                                hold));
        assertThat(
                        Diagnosis.of(held).caveats().stream()
                                .map(Caveat::advice)
                                .anyMatch(advice ->
                                        advice.startsWith("one message in a hundred was sent")))
                .isEqualTo(isLate);
    }

    /// Two CPUs have 20 s of CPU time in 10 s.
    @Test
    void what_the_hypervisor_took_is_a_share_of_all_cpus() {
        Recorded recorded = Recorded.healthy().cpus(2, 2);
        recorded.grows(EndFigure.CPUS_STEAL, End.SERVER, 0.9);
        assertThat(raised(recorded)).doesNotContain("noisy-host");
        recorded.grows(EndFigure.CPUS_STEAL, End.SERVER, 1.4);
        assertThat(advice(recorded, "noisy-host"))
                .startsWith("the hypervisor took 7 % of the CPU time");
    }

    @Test
    void the_ticks_that_the_kernel_lost_are_those_of_all_cpus() {
        Recorded recorded = Recorded.healthy().cpus(2, 2);
        recorded.grows(EndFigure.CPUS_COUNTED, End.SERVER, 17.2);
        assertThat(raised(recorded)).doesNotContain("lost-ticks");
        recorded.grows(EndFigure.CPUS_COUNTED, End.SERVER, 16);
        assertThat(advice(recorded, "lost-ticks")).startsWith("the kernel lost 20 % of the ticks");
    }
}
