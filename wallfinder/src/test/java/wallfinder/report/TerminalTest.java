package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleProfile;
import wallfinder.record.SampleRun;
import wallfinder.record.SampleUnmeasured;

final class TerminalTest {
    private static final Path FOLDER = Path.of("runs/20261120-accept-queue");
    private final Terminal plain = new Terminal(false);

    @Test
    void the_ladder_shows_rate_wall_evidence_remedy_and_gain_with_interval_and_pairs() {
        String text = plain.find(SampleRun.fullLadder(), FOLDER);
        assertThat(text)
                .contains("accept-queue: the ladder of 2 rungs")
                .contains("1. accept-queue, on the server; it limits the throughput")
                .contains("256.0 answers/s, response p99 1,040 ms, errors: none")
                .contains("a handshake was dropped 280 times")
                .contains("TcpExt.ListenOverflows 0 -> 280")
                .contains("backlog 128 -> 4096, net.core.somaxconn 128 -> 4096")
                .contains("4.10 times, 2.50-4.80 (95 % interval, 5 pairs; medians")
                .contains("p99 fell from 77.0 ms to 6.20 ms (12.50 times, 9.09-16.67)")
                .contains("failed requests: 0 of 10,000 before,")
                .contains("2. cpu, on the server")
                .contains("Ended: the CPU limits the service")
                .contains(FOLDER.toString());
    }

    @Test
    void a_setting_that_moved_nothing_is_shown_with_its_interval() {
        assertThat(plain.find(SampleRun.fullLadder(), null))
                .contains("also tried backlog 128 -> 4096: no effect, 0.99-1.02 (95 % interval")
                .contains("net.ipv4.tcp_fin_timeout 60 -> 15: worse: 0.87 times, 0.85-0.88");
    }

    @Test
    void a_remedy_that_seems_to_help_says_why_it_was_not_kept() {
        Applied failing = SampleRun.first(0).without().getFirst();
        Applied helping =
                new Applied(
                        failing.remedy(),
                        new RatioInterval(3.32, 1.83, 6.02, 5),
                        failing.p99(),
                        failing.before(),
                        new RunRecord.Side(410, 92e6, 200, 10_000, List.of()),
                        false);
        assertThat(RemedyText.attempt(helping, Harm.THROUGHPUT))
                .startsWith("net.ipv4.tcp_fin_timeout 60 -> 15: 3.32 times, 1.83-6.02, not proven")
                .endsWith(": a larger share of requests failed");
        assertThat(RemedyText.attempt(helping, Harm.ERRORS))
                .endsWith(": the share of failed requests did not surely fall by half");
    }

    @Test
    void a_proven_remedy_at_the_cpu_shows_what_it_changed_in_the_profile() {
        assertThat(plain.find(SampleProfile.changed(), null))
                .contains("With the remedy, an answer takes 600 us of CPU instead of 1,000:")
                .containsPattern("org.example.Parser.parse\\(\\) +5[0-9]{2} +1[0-9]{2} .* less")
                .containsPattern("garbage collection +200 +200 .* same");
    }

    @Test
    void a_ladder_without_rungs_says_that_no_wall_was_reached_and_at_what_load() {
        assertThat(plain.find(SampleRun.emptyLadder(), null))
                .contains("no wall was reached")
                .contains("4,000.0 answers/s")
                .contains("64 connections, kept alive, 5.0 s")
                .contains("Ended: the objective was met");
    }

    @Test
    void a_climb_that_ended_at_a_wall_does_not_say_that_there_was_none() {
        List<RunRecord.Trial> trials = SampleRun.interrupted().trials();
        assertThat(plain.find(SampleRun.run(trials, List.of(), "interrupted"), null))
                .contains("it ended at accept-queue, before a remedy was tested")
                .contains("Wall: accept-queue, on the server")
                .doesNotContain("no wall was reached");
        assertThat(plain.find(SampleRun.nothingMeasured(), null)).contains("nothing was measured");
    }

    @Test
    void a_remedy_without_figures_says_why_here_and_on_the_page() {
        RunRecord run = SampleUnmeasured.run();
        assertThat(plain.find(run, null))
                .contains("1. accept-queue, on the server")
                .contains(
                        "not measured net.ipv4.tcp_fin_timeout 60 -> 15: the service did not start");
        assertThat(Page.html(run))
                .contains(
                        "Not measured: net.ipv4.tcp_fin_timeout 60 -&gt; 15: the service did not");
    }

    @Test
    void a_rung_shows_the_rate_of_the_pairs_even_if_their_remedy_moved_nothing() {
        RunRecord.Rung sample = SampleRun.first(1);
        RunRecord.Rung rung = new RunRecord.Rung(1, null, sample.without(), List.of(), List.of());
        RunRecord run = SampleRun.run(SampleRun.interrupted().trials(), List.of(rung), "");
        assertThat(RemedyText.cells(1, rung, run.trials().get(1))).contains("100.0");
        assertThat(Finding.of(1, rung, run).perSecond()).isEqualTo(100);
    }

    @Test
    void an_interrupted_run_shows_what_was_measured() {
        assertThat(plain.find(SampleRun.interrupted(), FOLDER))
                .contains("1. accept-queue, on the server")
                .contains("Ended: interrupted");
        assertThat(plain.find(SampleRun.nothingMeasured(), null)).contains("interrupted before");
    }

    @Test
    void a_load_shows_rates_times_errors_the_verdict_and_the_walls_ruled_out() {
        RunRecord run = SampleRun.fullLadder();
        RunRecord one = SampleRun.run(run.trials().subList(2, 3), List.of(), "");
        assertThat(plain.load(one, null))
                .contains("256 connections in lockstep, one per request, 5.0 s, io_uring with 1")
                .contains("1,280 answered in 5.0 s: 256.0/s")
                .contains("errors     none")
                .containsPattern("response +241 ms +17\\.0 ms +1,040 ms")
                .contains("Wall: accept-queue, on the server")
                .contains("other walls ruled out (--why lists them)")
                .doesNotContain("not cpu")
                .contains("sysctl -w net.core.somaxconn=4096")
                .contains("(not verified)")
                .contains("host-busy: other programs used");
    }

    @Test
    void with_why_each_other_wall_has_its_reason() {
        RunRecord run = SampleRun.fullLadder();
        RunRecord one = SampleRun.run(run.trials().subList(2, 3), List.of(), "");
        assertThat(new Terminal(false, true).load(one, null))
                .contains("not cpu: the services used 0.40 CPU seconds in 5.00 s (0.08 of 1 CPU)")
                .doesNotContain("--why");
        assertThat(new Terminal(false, true).find(run, null))
                .contains("not cpu: the services used");
        assertThat(plain.find(run, null)).doesNotContain("not cpu");
    }

    @Test
    void an_open_loop_shows_its_rate_its_lateness_and_the_requests_that_waited() {
        assertThat(plain.load(SampleRun.openLoop(), null))
                .contains("64 connections, 4,000/s asked, kept alive, 5.0 s")
                .contains("200 19,993, 302 7")
                .contains("30 requests came due while all connections were busy")
                .containsPattern("p99\\.9 +p99\\.99 +max")
                .containsPattern("sent late +0\\.10 ms");
    }

    @Test
    void a_capacity_shows_its_pairs_its_rates_and_the_wall_above() {
        String text = plain.capacity(SampleCapacity.run(), null);
        assertThat(text)
                .startsWith("accept-queue: 401.5/s with p99 < 50ms (no interval: ")
                .contains(
                        "the objective held in 2 of 2 a little",
                        "missed in 2 of 2",
                        "no rate above 610.0/s",
                        "the capacity is 66 % of it",
                        "Above it, with 800.0 answers/s",
                        "Wall: accept-queue, on the server")
                .containsSubsequence("380.0", "384.0", "420.0", "425.0", "800.0");
    }

    @Test
    void the_interval_of_a_step_is_that_between_two_trials() {
        assertThat(plain.capacity(SampleCapacity.run(400, 384, 420), null))
                .startsWith(
                        "accept-queue: 400.0/s with p99 < 50ms (between trials at 384.0 and"
                                + " 420.0)");
        assertThat(plain.capacity(SampleCapacity.run(400, 385, 420), null))
                .startsWith("accept-queue: 400.0/s with p99 < 50ms (95 % interval 385.0-420.0)");
    }

    @Test
    void a_rate_whose_generator_was_the_limit_is_neither_held_nor_missed() {
        RunRecord run = SampleCapacity.run();
        List<RunRecord.Trial> trials = new ArrayList<>(run.trials());
        trials.set(0, SampleRun.generatorBound("rate-380").meeting(true));
        trials.set(1, SampleRun.generatorBound("rate-420").meeting(false));
        RunRecord invalid = SampleRun.run(trials, List.of(), "").with(run.capacity());
        assertThat(plain.capacity(invalid, null))
                .containsPattern("(?m)  held$")
                .containsOnlyOnce("  invalid\n");
    }

    @Test
    void a_ladder_of_capacities_shows_the_proof_between_them() {
        String text = plain.find(SampleCapacity.ladder(), null);
        assertThat(text)
                .startsWith("accept-queue: the ladder of 2 rungs")
                .contains("capacity 803.0/s with p99 < 50ms (95 % interval 780.0-820.0)")
                .containsPattern("rung +wall +on +capacity/s")
                .contains(
                        "capacity 2.00 times, 1.90-2.10 (95 % interval, capacity 401.5/s -> 803.0/s)")
                .contains(
                        "at 567.8/s, in pairs: without it the objective was missed in 3 of 3 trials")
                .containsPattern("0.95-1.06 .95 % interval, capacity\\s+401.5/s -> 405.5/s")
                .doesNotContain("NaN", "0 of 0");
    }

    @Test
    void a_load_without_answers_is_not_judged_and_prints_no_nan() {
        assertThat(plain.load(SampleRun.zeroRequests(), null))
                .contains("0 answered in 0.0 s: 0.0/s")
                .contains("Nothing to judge")
                .containsPattern("unknown: [a-z,\\s-]+:\\s+some readings")
                .doesNotContain("NaN")
                .doesNotContain("Infinity")
                .doesNotContain("No wall");
    }

    @Test
    void a_rung_at_the_generators_limit_is_a_lower_bound() {
        RunRecord run =
                SampleRun.run(
                        List.of(SampleRun.generatorBound("climb-1-connections-64")),
                        List.of(new RunRecord.Rung(0, null, List.of(), List.of(), List.of())),
                        "the generator is the limit");
        assertThat(plain.find(run, null))
                .contains("load-generator")
                .contains("The service can do at least this");
    }

    @Test
    void only_a_terminal_gets_colours_and_names_add_no_control_characters() {
        assertThat(plain.find(SampleRun.fullLadder(), FOLDER)).doesNotContain("\u001b");
        assertThat(new Terminal(true).find(SampleRun.fullLadder(), FOLDER)).contains("\u001b[1m");
        String text = plain.load(SampleRun.hostileNames(), null);
        assertThat(text.lines().findFirst().orElseThrow()).contains("\"quoted\" : 64 connections");
    }

    @Test
    void figures_look_the_same_in_every_locale() {
        Locale before = Locale.getDefault();
        RunRecord run = SampleRun.fullLadder();
        String usual = plain.find(run, FOLDER);
        try {
            Locale.setDefault(Locale.GERMANY);
            assertThat(plain.find(run, FOLDER)).isEqualTo(usual);
        } finally {
            Locale.setDefault(before);
        }
    }
}
