package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;

/// Recorded observations of JVMs that collect more or less.
class GcTest {
    private static final String WALL = "gc";
    private static final double MB = 1 << 20;

    /// @param cpu the share of the single CPU that the service uses
    /// @param collectors the collectors' share of that
    /// @param stopped the share of the time
    static Recorded collecting(
            double cpu, double collectors, double stopped, double longestMillis) {
        return Recorded.healthy()
                .cpuShare(cpu)
                .grows(
                        jvm(JvmFigure.COLLECTOR_CPU),
                        End.SERVER,
                        cpu * collectors * Recorded.SECONDS)
                .grows(jvm(JvmFigure.PAUSE_SECONDS), End.SERVER, stopped * Recorded.SECONDS)
                .grows(jvm(JvmFigure.PAUSES), End.SERVER, 100)
                .level(jvm(JvmFigure.LONGEST_PAUSE), End.SERVER, longestMillis / 1e3)
                .level(jvm(JvmFigure.HEAP_MAX), End.SERVER, 96 * MB)
                .level(jvm(JvmFigure.HEAP_USED), End.SERVER, 40 * MB);
    }

    private static Key jvm(JvmFigure figure) {
        return figure.of("users");
    }

    @Test
    void long_pauses_are_gc_and_not_an_idle_cpu() {
        Diagnosis diagnosis = collecting(0.6, 0.6, 0.35, 60).responseMillis(45, 14_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "the collector had stopped the world for 35 % of the time",
                        "there were 100 pauses; the longest seen took 60 ms");
    }

    @Test
    void a_collector_that_takes_cpu_from_the_service_is_named_before_the_cpu() {
        Diagnosis diagnosis = collecting(0.98, 0.5, 0.01, 2).responseMillis(45, 14_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).containsExactly("cpu");
    }

    @Test
    void a_service_that_needs_its_cpu_for_itself_is_bound_by_the_cpu() {
        Diagnosis diagnosis = collecting(0.98, 0.2, 0.18, 9).responseMillis(45, 14_000).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.also()).isEmpty();
    }

    /// Concurrent collectors that use an otherwise idle CPU do no harm.
    @Test
    void a_collector_that_takes_an_idle_cpu_does_not_hide_a_pool() {
        Diagnosis diagnosis = collecting(0.3, 0.5, 0.01, 2).responseMillis(60, 10_000).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void a_few_long_pauses_harm_the_tail_alone() {
        Recorded recorded = collecting(0.3, 0.1, 0.04, 180);
        recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
    }

    @Test
    void pauses_that_follow_one_upon_another_harm_the_tail_by_a_few_of_them() {
        Recorded recorded = collecting(0.17, 0.67, 0.12, 40).unloadedMillis(0.4);
        recorded.responseMillis(0.4, 520).alsoResponseMillis(119, 75);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
    }

    @Test
    void a_tail_that_is_longer_than_the_pauses_has_another_cause() {
        Recorded recorded = collecting(0.3, 0.1, 0.02, 50);
        recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
        assertThat(recorded.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    /// As of Tomcat on CPUs that it shares with the generator. At most five pauses were half as
    /// long as the p99, so at most 50 of the 280 slow answers met one.
    @Test
    void a_few_pauses_do_not_explain_the_tail_of_many_quick_answers() {
        Recorded recorded = collecting(0.88, 0.01, 0.0055, 17).unloadedMillis(1.5);
        recorded.responseMillis(1.7, 14_000).alsoResponseMillis(21.4, 280);
        Diagnosis diagnosis = recorded.connections(10).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).doesNotContain(WALL);
        assertThat(recorded.connections(100).diagnosed().wallId()).contains(WALL);
    }

    /// A closed loop sends nothing during a pause, and an open one does. Two pauses took 200 ms.
    @Test
    void in_an_open_loop_the_requests_that_came_due_in_a_pause_met_it() {
        Recorded recorded = collecting(0.3, 0.1, 0.02, 100).connections(10);
        recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
        assertThat(recorded.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        Diagnosis open = recorded.open(0.1, 0).diagnosed();
        assertThat(open.wallId()).contains(WALL);
        assertThat(open.headline().harm()).isEqualTo(Harm.LATENCY);
    }

    /// The collector's threads waited for a CPU, too. Without the others, the longest pause would
    /// be half as long.
    @Test
    void a_pause_that_other_programs_made_long_does_not_explain_the_tail() {
        Recorded recorded = collecting(0.3, 0.1, 0.04, 100);
        recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
        Diagnosis contended = recorded.contended(0.7, 0.3).diagnosed();
        assertThat(contended.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(contended.also()).extracting(b -> b.wall().id().word()).doesNotContain(WALL);
    }

    /// A command that reports neither its rate nor its errors.
    @ParameterizedTest
    @CsvSource({"0.6, 0.6, 0.35, true", "0.6, 0.6, 0.1, false", "0.98, 0.5, 0.01, true"})
    void without_latencies_a_collector_that_stops_or_starves_the_service_is_enough(
            double cpu, double collectors, double stopped, boolean named) {
        Diagnosis diagnosis = collecting(cpu, collectors, stopped, 60).command().diagnosed();
        assertThat(diagnosis.wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }

    /// As of a JVM that serves few requests: its single pause met three of 232 answers.
    @Test
    void one_pause_is_gc_only_if_it_takes_a_good_part_of_the_time() {
        double once = 0.12 / Recorded.SECONDS;
        assertThat(paused(once, 120).verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(paused(2 * once, 120).wallId()).contains(WALL);
        assertThat(paused(0.06, 0.06 * Recorded.SECONDS * 1e3).wallId()).contains(WALL);
    }

    private static Diagnosis paused(double stoppedShare, double longestMillis) {
        Recorded recorded = collecting(0.3, 0.1, stoppedShare, longestMillis).connections(1);
        return recorded.responseMillis(16, 229).alsoResponseMillis(125, 3).diagnosed();
    }

    @Test
    void pauses_that_harm_only_the_tail_do_not_hide_the_cpu_that_stops_the_rate() {
        Recorded recorded = collecting(0.98, 0.1, 0.045, 200);
        recorded.responseMillis(45, 14_000).alsoResponseMillis(300, 200);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).containsExactly(WALL);
    }

    @Test
    void a_collector_that_harms_nobody_is_only_near() {
        Diagnosis diagnosis = collecting(0.4, 0.6, 0.3, 5).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// A JVM that publishes no figures, but whose threads show the CPU time.
    @Test
    void the_cpu_of_the_threads_that_stop_the_world_is_enough() {
        Recorded recorded =
                Recorded.healthy()
                        .cpuShare(0.6)
                        .grows(jvm(JvmFigure.COLLECTOR_CPU), End.SERVER, 4)
                        .grows(jvm(JvmFigure.STOPPING_CPU), End.SERVER, 4)
                        .level(jvm(JvmFigure.PAUSE_SECONDS), End.SERVER, Double.NaN)
                        .responseMillis(45, 14_000);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_load_without_a_jvm_is_ruled_out() {
        assertThat(NotNamed.because(Recorded.healthy().diagnosed(), WallId.GC))
                .isEqualTo("no JVM was seen among the services");
    }

    /// Java 8 gives its threads no names, and OpenJ9 gives them other ones.
    @ParameterizedTest
    @EnumSource(
            value = WallId.class,
            names = {"GC", "HEAP"})
    void a_jvm_whose_collector_is_not_recognized_rules_nothing_out(WallId wall) {
        Diagnosis old = Recorded.healthy().jvm("users", "1.8.0_442").diagnosed();
        assertThat(NotNamed.because(old, wall)).startsWith("unknown: there is a JVM");
    }

    /// The CPU time of the threads that stop the world is a lower bound.
    @Test
    void pauses_that_are_not_counted_stay_unknown() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .grows(jvm(JvmFigure.COLLECTOR_CPU), End.SERVER, 0.1 * Recorded.SECONDS)
                        .level(jvm(JvmFigure.PAUSE_SECONDS), End.SERVER, Double.NaN)
                        .diagnosed();
        assertThat(NotNamed.because(diagnosis, WallId.GC))
                .contains("stopped the world for at least 0 %");
    }

    /// ZGC stops nobody and leaves half of the CPU.
    private static Recorded stalling(double threadSeconds, double share, double longestMillis) {
        return collecting(0.6, 0.2, 0.001, 1)
                .grows(jvm(JvmFigure.ALLOCATION_STALLS), End.SERVER, 900)
                .grows(jvm(JvmFigure.STALLED_THREAD_SECONDS), End.SERVER, threadSeconds)
                .grows(jvm(JvmFigure.STALLED_SECONDS), End.SERVER, share * Recorded.SECONDS)
                .level(jvm(JvmFigure.LONGEST_STALL), End.SERVER, longestMillis / 1e3);
    }

    @Test
    void waits_for_memory_are_gc_without_a_pause() {
        Diagnosis diagnosis =
                stalling(14_000 * 0.045 * 0.6, 0.7, 60).responseMillis(45, 14_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .startsWith("threads of users waited for memory 900 times while ZGC collected");
    }

    @Test
    void waits_for_memory_have_their_own_advice() {
        Recorded stalling = stalling(14_000 * 0.045 * 0.6, 0.7, 60).responseMillis(45, 14_000);
        assertThat(advice(stalling)).anyMatch(what -> what.contains("-XX:ConcGCThreads"));
        Recorded pausing = collecting(0.6, 0.6, 0.35, 60).responseMillis(45, 14_000);
        assertThat(advice(pausing))
                .isNotEmpty()
                .noneMatch(what -> what.contains("-XX:ConcGCThreads"));
    }

    private static List<String> advice(Recorded recorded) {
        Judgement.Binds headline = recorded.diagnosed().headline();
        return headline.wall().advice(headline, recorded.observation()).stream()
                .map(Advice::command)
                .toList();
    }

    /// The answers wait for something else.
    @Test
    void few_waits_for_memory_do_not_explain_slow_answers() {
        Diagnosis diagnosis =
                stalling(14_000 * 0.045 * 0.1, 0.2, 10).responseMillis(45, 14_000).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).doesNotContain(WALL);
    }

    /// The collector waits for the CPU, too.
    @Test
    void waits_for_memory_of_a_service_without_a_free_cpu_are_not_gc() {
        Diagnosis diagnosis =
                stalling(14_000 * 0.045 * 0.6, 0.7, 60)
                        .cpuShare(0.98)
                        .responseMillis(45, 14_000)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void a_few_long_waits_for_memory_harm_the_tail_alone() {
        Recorded recorded = stalling(1_000 * 0.18 * 0.6, 0.1, 180);
        recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
    }

    /// Adds the figures of one of two JVMs.
    ///
    /// @param cpu of its process, as a share of the time
    /// @param collectors the collectors' share of that
    private static void jvm(
            Recorded recorded,
            int number,
            double cpu,
            double collectors,
            double stopped,
            double longestMillis) {
        String subject = JvmFigure.subject("users", number);
        recorded.level(JvmFigure.PID.of(subject), End.SERVER, 1_000 + number)
                .grows(JvmFigure.PROCESS_CPU.of(subject), End.SERVER, cpu * Recorded.SECONDS)
                .grows(
                        JvmFigure.COLLECTOR_CPU.of(subject),
                        End.SERVER,
                        cpu * collectors * Recorded.SECONDS)
                .grows(JvmFigure.PAUSE_SECONDS.of(subject), End.SERVER, stopped * Recorded.SECONDS)
                .grows(JvmFigure.PAUSES.of(subject), End.SERVER, number * 100)
                .level(JvmFigure.LONGEST_PAUSE.of(subject), End.SERVER, longestMillis / 1e3);
    }

    /// Much CPU time and short pauses in one JVM, long pauses and little CPU time in the other.
    private static Recorded busyAndSlow(double stoppedOfSlow, double longestOfSlow) {
        Recorded recorded = collecting(0.8, 0.5, Math.max(0.1, stoppedOfSlow), 2);
        jvm(recorded, 1, 0.7, 0.5, 0.1, 2);
        jvm(recorded, 2, 0.1, 0.2, stoppedOfSlow, longestOfSlow);
        return recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
    }

    @Test
    void the_jvm_with_the_long_pauses_is_named_and_not_the_one_whose_collector_works_most() {
        Diagnosis diagnosis = busyAndSlow(0.04, 180).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "the collector of process 1002 of users had stopped the world for 4 % of the time",
                        "its threads took 20 % of the CPU that process 1002 of users used",
                        "there were 200 pauses; the longest seen took 180 ms");
        assertThat(diagnosis.headline().evidence())
                .allSatisfy(one -> assertThat(one.counter().text()).startsWith("jvm[users#2]."));
    }

    /// One JVM stops often enough to make the tail, and the other one long enough.
    @Test
    void the_long_pause_of_one_jvm_and_the_many_pauses_of_another_are_not_mixed() {
        assertThat(busyAndSlow(0.001, 180).diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void of_two_jvms_the_one_whose_collector_takes_the_cpu_is_named() {
        Recorded recorded = collecting(0.98, 0.5, 0.02, 180).responseMillis(45, 14_000);
        jvm(recorded, 1, 0.9, 0.53, 0.01, 2);
        jvm(recorded, 2, 0.08, 0.2, 0.02, 180);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains("there were 100 pauses; the longest seen took 2.00 ms")
                .noneMatch(says -> says.contains("process 1002"));
    }

    /// Each JVM is stopped for 15 % of the time, while the other one answers.
    @Test
    void two_jvms_whose_pauses_reach_the_threshold_only_together_are_not_gc() {
        Recorded recorded = collecting(0.6, 0.2, 0.15, 5).responseMillis(45, 14_000);
        jvm(recorded, 1, 0.3, 0.2, 0.15, 5);
        jvm(recorded, 2, 0.3, 0.2, 0.15, 5);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).doesNotContain(WALL);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).doesNotContain("near:" + WALL);
    }

    /// A small JVM beside the service that mostly collects.
    @Test
    void a_jvm_that_uses_little_of_the_cpu_takes_none_from_the_service() {
        Recorded recorded = collecting(0.98, 0.06, 0.01, 2).responseMillis(45, 14_000);
        jvm(recorded, 1, 0.93, 0.02, 0.01, 2);
        jvm(recorded, 2, 0.05, 0.8, 0.01, 2);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.also()).isEmpty();
    }
}
