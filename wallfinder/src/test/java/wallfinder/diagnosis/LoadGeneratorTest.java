package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.SampleLoad;

/// A generator at its limit, alone or as one of several hosts.
class LoadGeneratorTest {
    /// The answers take eight times as long as alone.
    private static Recorded slower() {
        return Recorded.healthy().connections(512).unloadedMillis(2).responseMillis(16, 39_000);
    }

    private static List<String> says(Diagnosis diagnosis) {
        return diagnosis.headline().evidence().stream().map(Evidence::says).toList();
    }

    /// The hypervisor took a second from the programs of the generator's CPUs, which ran for `busy`
    /// of ten seconds in all.
    private static Recorded robbed(double idle, double waiting, double busy) {
        return slower().idleShare(idle)
                .waitingShare(waiting)
                .grows(EndFigure.CPUS_BUSY, End.CLIENT, busy)
                .grows(EndFigure.CPUS_STEAL, End.CLIENT, 1);
    }

    @ParameterizedTest
    @CsvSource({"0.11, 0.01, 8.8", "0.11, 0.21, 6.8", "0.11, 0.01, 6"})
    void steal_is_the_generators_if_no_other_program_runs(
            double idle, double waiting, double busy) {
        Diagnosis diagnosis = robbed(idle, waiting, busy).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(says(diagnosis).getFirst())
                .endsWith("in only 1 % of the time, and the hypervisor had their CPU in 10 %");
    }

    @ParameterizedTest
    @CsvSource({"0.11, 0.01, 17.6", "0.11, 0.21, 13.6"})
    void half_of_the_steal_belongs_to_programs_that_run_as_long_as_the_generator(
            double idle, double waiting, double busy) {
        assertThat(robbed(idle, waiting, busy).diagnosed().verdict()).isNotEqualTo(Verdict.INVALID);
    }

    /// Neither the generator nor a thread of the service ever sleeps.
    @Test
    void of_two_threads_that_never_sleep_the_busier_one_is_the_limit() {
        Recorded both = slower().idleShare(0.04).waitingShare(0.1).busiestWantedShare(0.97);
        both.cpuShare(0.9).busiestThreadShare(0.9);
        assertThat(both.diagnosed().wallId()).contains("cpu");
        both.cpuShare(0.8).busiestThreadShare(0.8);
        assertThat(both.diagnosed().verdict()).isEqualTo(Verdict.INVALID);
    }

    private static LoadPart part(
            String host, double idle, Map<String, Long> exhausted, double lateMillis) {
        Histogram late = new Histogram(3);
        late.recordValueWithCount((long) (lateMillis * 1e6), 20_000);
        return new LoadPart(
                host,
                256,
                Double.NaN,
                20_000,
                0,
                0,
                new LoadOutcome.Generator(1, idle, 0, exhausted, SampleLoad.NO_STALLS),
                late);
    }

    @Test
    void of_several_hosts_the_one_that_never_waits_is_named() {
        LoadPart a = part("a", 0.5, Map.of(), 0);
        LoadPart b = part("b", 0.01, Map.of(), 0);
        Recorded recorded = slower().parts(a, b);
        Diagnosis diagnosis = recorded.diagnosed();
        String only = "the generator's threads waited for answers in only 1 % of the time";
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(says(diagnosis)).containsExactly("on b: " + only);
        assertThat(diagnosis.headline().evidence().getFirst().source())
                .isEqualTo("/proc/self/task/TID/schedstat on b");
        assertThat(LoadGenerator.limitOf(a, recorded.observation())).isNull();
        assertThat(LoadGenerator.limitOf(b, recorded.observation())).isEqualTo(only);
        assertThat(LoadGenerator.limitOf(b, recorded.command().observation())).isNull();
    }

    @Test
    void of_several_hosts_the_one_that_sends_late_is_named() {
        Recorded late =
                Recorded.healthy()
                        .open(0, 0)
                        .parts(part("a", 0.5, Map.of(), 0.1), part("b", 0.5, Map.of(), 30));
        Diagnosis diagnosis = late.diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(says(diagnosis))
                .hasSize(3)
                .allSatisfy(says -> assertThat(says).startsWith("on b: "));
    }

    /// 40,000 answers, so a single host may lack a port 39 times.
    @Test
    void the_missing_ports_of_several_hosts_count_together() {
        Recorded recorded = Recorded.healthy().exhausted("ports", 42);
        LoadPart a = part("a", 0.5, Map.of("ports", 21L), 0);
        Diagnosis diagnosis =
                recorded.parts(a, part("b", 0.5, Map.of("ports", 21L), 0)).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(says(diagnosis))
                .containsExactly(
                        "on a: the generator ran out of ports 21 times",
                        "on b: the generator ran out of ports 21 times");
        assertThat(LoadGenerator.limitOf(a, recorded.observation()))
                .isEqualTo("the generator ran out of ports 21 times");
    }

    /// A thousandth of 60,000 exchanges is 60.
    @Test
    void failed_exchanges_count_among_those_that_missing_ports_could_harm() {
        Recorded failing = Recorded.healthy().error("reset", 20_000);
        assertThat(failing.exhausted("ports", 50).diagnosed().verdict())
                .isNotEqualTo(Verdict.INVALID);
        assertThat(failing.exhausted("ports", 61).diagnosed().verdict()).isEqualTo(Verdict.INVALID);
    }

    private static List<String> advice(Recorded recorded) {
        return new LoadGenerator()
                        .advice(
                                new Judgement.Binds(
                                        new LoadGenerator(),
                                        End.CLIENT,
                                        Harm.THROUGHPUT,
                                        List.of()),
                                recorded.observation())
                        .stream()
                        .map(Advice::command)
                        .toList();
    }

    @ParameterizedTest
    @CsvSource({"ports, --source", "descriptors, ulimit -n", "epoll watches, max_user_watches"})
    void the_advice_is_about_what_ran_out(String what, String remedy) {
        assertThat(advice(Recorded.healthy().exhausted(what, 900)))
                .satisfiesExactly(
                        first -> assertThat(first).contains(remedy),
                        last -> assertThat(last).contains("another host"));
    }

    @Test
    void a_busy_generator_needs_threads_and_a_starved_one_needs_its_cpu() {
        assertThat(advice(Recorded.healthy()))
                .satisfiesExactly(
                        first -> assertThat(first).contains("more generator threads"),
                        second -> assertThat(second).contains("a lower rate"),
                        last -> assertThat(last).contains("another host"));
        Recorded starved = Recorded.healthy().waitingShare(0.3);
        assertThat(advice(starved))
                .satisfiesExactly(
                        first -> assertThat(first).contains("its own CPU"),
                        last -> assertThat(last).contains("another host"));
        assertThat(LoadGenerator.starved(starved.observation().load())).isTrue();
        assertThat(LoadGenerator.starved(starved.command().observation().load())).isFalse();
    }

    /// The generator may have been as late when it sent single requests, so a bend may be hidden.
    @ParameterizedTest
    @CsvSource({"0.11, 0.41, 0.6, INVALID", "0.55, 0.41, 0.6, NONE", "0.11, 0.2, 0.6, NONE"})
    void without_a_bend_a_generator_that_has_no_cpu_for_most_of_its_work_says_nothing(
            double idle, double waiting, double used, Verdict verdict) {
        Recorded recorded = Recorded.healthy().cpuShare(used).idleShare(idle).waitingShare(waiting);
        assertThat(recorded.diagnosed().verdict()).isEqualTo(verdict);
    }

    @Test
    void a_late_generator_costs_a_service_nothing_that_has_no_cpu_left() {
        Recorded busy = Recorded.healthy().cpuShare(0.97).idleShare(0.11).waitingShare(0.41);
        assertThat(busy.diagnosed().verdict()).isNotEqualTo(Verdict.INVALID);
    }
}
