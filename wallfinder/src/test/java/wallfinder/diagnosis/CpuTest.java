package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.ProcessFigure;

class CpuTest {
    /// One worker on two CPUs, which it shares with the generator and with others.
    private static Recorded worker(double used, double wanted) {
        return Recorded.healthy()
                .unloadedMillis(0.1)
                .responseMillis(2, 40_000)
                .sharing(2, 0.6)
                .cpuShare(used)
                .busiestThreadShare(used)
                .busiestWantedShare(wanted)
                .contended(2 - used, wanted - used)
                .idleShare(0.17)
                .waitingShare(0.1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.82, 0.88, 0.92, 0.96, 1.0})
    void a_worker_that_hardly_ever_sleeps_is_bound_by_the_cpu_whatever_it_got(double wanted) {
        for (double used : new double[] {0.45, 0.55, 0.72, 0.8}) {
            Diagnosis diagnosis = worker(used, wanted).diagnosed();
            assertThat(diagnosis.wallId()).as("used %s", used).contains("cpu");
            assertThat(diagnosis.also()).isEmpty();
            assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("shared-cpus");
        }
    }

    @Test
    void the_evidence_names_the_programs_that_took_the_cpu() {
        Diagnosis diagnosis = worker(0.6, 0.97).diagnosed();
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly(
                        "process[users].cpu",
                        "process[users].busiestWanted",
                        "process[users].waiting",
                        "generator.cpu",
                        "cpus.busy");
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo("users used 6.00 CPU seconds in 10.00 s (0.60 of 2 CPUs)");
        assertThat(diagnosis.headline().evidence())
                .allSatisfy(e -> assertThat(e.basis()).isEqualTo(Basis.COUNTER));
    }

    @Test
    void a_generator_that_never_waits_for_a_worker_that_never_sleeps_is_not_the_wall() {
        assertThat(worker(0.98, 0.99).idleShare(0.02).diagnosed().wallId()).contains("cpu");
    }

    /// In that case the rate is a lower bound, whatever the worker could have done.
    @Test
    void if_neither_sleeps_the_one_with_more_cpu_is_the_wall() {
        assertThat(worker(0.7, 0.98).idleShare(0.02).diagnosed().verdict())
                .isEqualTo(Verdict.INVALID);
    }

    /// Seen beside programs that took both CPUs: neither end got what it wanted.
    @Test
    void of_two_ends_without_enough_cpu_the_one_that_waits_less_for_the_other_is_the_wall() {
        Recorded both = worker(0.53, 0.82).waitingShare(0.48);
        assertThat(both.idleShare(0.1).diagnosed().verdict()).isEqualTo(Verdict.INVALID);
        assertThat(both.idleShare(0.2).diagnosed().wallId()).contains("cpu");
    }

    @Test
    void a_generator_that_never_waits_is_the_wall_if_the_worker_sleeps() {
        assertThat(worker(0.7, 0.85).idleShare(0.02).diagnosed().verdict())
                .isEqualTo(Verdict.INVALID);
    }

    @Test
    void a_worker_that_sleeps_a_third_of_the_time_is_not_bound_by_the_cpu() {
        assertThat(worker(0.5, 0.66).diagnosed().wallId()).isNotEqualTo(Optional.of("cpu"));
    }

    /// Between 80 and 90 % of the CPU, an earlier version named neither wall.
    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.7, 0.78, 0.81, 0.85, 0.89, 0.92, 0.99})
    void at_any_share_of_the_cpu_either_the_cpu_or_the_concurrency_binds(double share) {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .unloadedMillis(15)
                        .responseMillis(240, 2_460)
                        .cpuShare(share)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(share < 0.8 ? "server-concurrency" : "cpu");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void one_of_several_busy_threads_does_not_represent_the_service() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .unloadedMillis(15)
                        .responseMillis(240, 2_460)
                        .sharing(4, 0.1)
                        .cpuShare(2.4)
                        .busiestThreadShare(0.85)
                        .busiestWantedShare(0.85)
                        .diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of("cpu"));
    }

    @Test
    void the_cpu_time_of_the_services_is_the_counted_one() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .grows(ProcessFigure.CPU.of("users"), End.SERVER, 3.57)
                        .diagnosed();
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out ->
                        assertThat(out.because())
                                .isEqualTo(
                                        "the services used 3.57 CPU seconds in 10.00 s (0.36 of 1 CPU)"));
    }

    /// Others used the CPU while the quota stopped the service, which took nothing from it.
    @Test
    void other_programs_do_not_take_what_a_quota_does_not_allow() {
        Recorded contended = Recorded.healthy().cpuShare(0.2).contended(0.8, 3);
        assertThat(contended.diagnosed().caveats()).extracting(Caveat::id).contains("busy-host");
        assertThat(texts(contended)).contains("waited 8.00 s for CPUs that other programs used");
        contended.grows(CgroupFigure.THROTTLED_SECONDS.of("users"), End.SERVER, 7.5);
        assertThat(texts(contended)).contains("waited 0.50 s for CPUs that other programs used");
        assertThat(contended.diagnosed().caveats())
                .extracting(Caveat::id)
                .doesNotContain("busy-host");
    }

    /// Of a pod, its container and another container, whose quota stopped it at the same time as
    /// that of the pod.
    @Test
    void time_in_which_nested_quotas_stop_a_service_counts_once() {
        Recorded contended = Recorded.healthy().cpuShare(0.2).contended(0.8, 3);
        for (String group : List.of("users", "users in pod7", "a of users", "b of users")) {
            contended.grows(CgroupFigure.THROTTLED_SECONDS.of(group), End.SERVER, 3);
        }
        assertThat(texts(contended)).contains("waited 2.00 s for CPUs that other programs used");
    }

    /// The single requests took 2 s, on two CPUs.
    ///
    /// @param others CPU seconds of other programs
    private static Recorded alone(double running, double waiting, double others) {
        return Recorded.healthy()
                .growsAlone(ProcessFigure.CPU.of("users"), running)
                .growsAlone(ProcessFigure.WAITING.of("users"), waiting)
                .growsAlone(EndFigure.CPUS_BUSY, running + others)
                .growsAlone(EndFigure.CPUS_COUNTED, 4)
                .growsAlone(EndFigure.CPUS_COUNT, 2);
    }

    @Test
    void other_programs_that_took_the_cpu_from_single_requests_are_a_doubt() {
        assertThat(alone(0.1, 0.5, 3).diagnosed().caveats())
                .extracting(Caveat::id)
                .containsExactly("busy-alone");
        assertThat(alone(0.1, 0.3, 3).diagnosed().caveats()).isEmpty();
        assertThat(
                        alone(0.1, 0.5, 3)
                                .growsAlone(CgroupFigure.THROTTLED_SECONDS.of("users"), 0.3)
                                .diagnosed()
                                .caveats())
                .isEmpty();
        // Its own threads used the CPU.
        assertThat(alone(0.9, 1.8, 3).diagnosed().caveats()).isEmpty();
        assertThat(
                        alone(0.1, 0.5, 3)
                                .growsAlone(JvmFigure.OWN_WAITING.of("users"), 0.3)
                                .diagnosed()
                                .caveats())
                .isEmpty();
    }

    /// One request starts eight threads, which together wait longer than three times their CPU
    /// time.
    @Test
    void threads_that_wait_for_each_other_are_no_other_programs() {
        assertThat(alone(0.8, 2.6, 0.1).diagnosed().caveats()).isEmpty();
        assertThat(alone(0.1, 9, 3.8).diagnosed().caveats())
                .extracting(Caveat::advice)
                .singleElement(InstanceOfAssertFactories.STRING)
                .startsWith("other programs took 100 % of the time");
    }

    @Test
    void without_a_reading_of_the_cpus_nothing_is_said_of_other_programs() {
        Recorded unread =
                Recorded.healthy()
                        .growsAlone(ProcessFigure.CPU.of("users"), 0.1)
                        .growsAlone(ProcessFigure.WAITING.of("users"), 0.5);
        assertThat(unread.diagnosed().caveats()).isEmpty();
    }

    /// A quota that nobody could read stops the service under the load.
    @Test
    void a_service_that_an_unseen_quota_stops_waits_for_no_other_programs() {
        Recorded stopped =
                alone(0.1, 0.5, 3)
                        .busiestWantedShare(0.98)
                        .level(EndFigure.CPUS_COUNT, End.SERVER, 1)
                        .grows(EndFigure.CPUS_COUNTED, End.SERVER, 10)
                        .grows(EndFigure.CPUS_BUSY, End.SERVER, 3.5);
        assertThat(stopped.diagnosed().caveats())
                .extracting(Caveat::id)
                .doesNotContain("busy-alone");
    }

    /// More CPUs do not help a single thread, which can use one of them at most.
    @Test
    void the_advice_for_one_full_thread_is_not_more_cpus() {
        Recorded full = Recorded.healthy().unloadedMillis(15).responseMillis(240, 2_460);
        assertThat(hardware(full.sharing(4, 0.1).cpuShare(3.9)))
                .containsExactly("give it more or faster CPUs");
        assertThat(hardware(full.cpuShare(0.99).busiestThreadShare(0.98).busiestWantedShare(0.98)))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("more of its processes or threads")
                .doesNotContain("more or faster");
    }

    private static List<String> hardware(Recorded recorded) {
        Judgement.Binds binds = recorded.diagnosed().headline();
        assertThat(binds.wall()).isInstanceOf(Cpu.class);
        return binds.wall().advice(binds, recorded.observation()).stream()
                .filter(advice -> advice.price().equals("hardware"))
                .map(Advice::command)
                .toList();
    }

    private static String texts(Recorded recorded) {
        return recorded.diagnosed().ruledOut().stream()
                .map(Judgement.NotBinding::because)
                .collect(Collectors.joining("\n"));
    }

    @Test
    void batches_that_take_as_long_as_a_request_and_their_cpu_time_are_bound_by_the_cpu() {
        Diagnosis diagnosis = batches(160, 0.75);
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "a batch of requests takes 160 ms, a single request 15 ms: a batch uses the CPUs for 120 ms of the difference of 145 ms");
    }

    @Test
    void batches_of_which_the_cpu_explains_too_little_have_no_name() {
        assertThat(batches(160, 0.7).verdict()).isEqualTo(Verdict.UNNAMED);
    }

    /// The time of a single request is a large part of a short batch, so a longer one gives a
    /// higher rate.
    @Test
    void short_batches_are_not_bound_by_the_cpu() {
        assertThat(batches(140, 0.79).verdict()).isEqualTo(Verdict.UNNAMED);
    }

    /// Of a service on four CPUs.
    ///
    /// @param before the CPU seconds of its busiest thread before the load
    /// @param grown by which that figure grows under the load
    private static Judgement.NotBinding cpuUnnamed(double share, double before, double grown) {
        double[] busiest = {before, before + grown / 2, before + grown};
        Diagnosis diagnosis =
                Recorded.healthy()
                        .cpus(4, 1)
                        .cpuShare(share)
                        .put(ProcessFigure.BUSIEST_THREAD.of("users"), End.SERVER, busiest)
                        .put(ProcessFigure.BUSIEST_WANTED.of("users"), End.SERVER, busiest)
                        .diagnosed();
        assertThat(diagnosis.wallId()).isEmpty();
        return diagnosis.ruledOut().stream()
                .filter(out -> out.wall().id() == WallId.CPU)
                .findFirst()
                .orElseThrow();
    }

    /// As in the file of a watch that began a minute before the load of ten seconds.
    @Test
    void a_thread_that_was_busy_before_the_load_may_hide_one_that_was_full() {
        assertThat(cpuUnnamed(1.2, 60, 0))
                .isInstanceOfSatisfying(
                        Judgement.Unknown.class,
                        unknown -> assertThat(unknown.missing()).isEqualTo(Missing.BUSIEST_THREAD));
        assertThat(cpuUnnamed(1.2, 6, 3)).isInstanceOf(Judgement.Unknown.class);
        assertThat(cpuUnnamed(0.7, 60, 0))
                .as("all threads together were not full")
                .isInstanceOf(Judgement.Clear.class);
        assertThat(cpuUnnamed(1.2, 3, 3))
                .as("no thread has ever used so much")
                .isInstanceOf(Judgement.Clear.class);
        assertThat(cpuUnnamed(1.2, 0, 6))
                .as("the watch began with the load")
                .isInstanceOf(Judgement.Clear.class);
    }

    /// A single request takes 15 ms.
    private static Diagnosis batches(long millis, double cpuShare) {
        return Recorded.healthy()
                .connections(64)
                .lockstep()
                .responseMillis(millis / 2, 12_800)
                .batchMillis(millis, 200)
                .cpuShare(cpuShare)
                .diagnosed();
    }

    /// The loop sends 4,000 requests a second for ten seconds. If all are answered, no remedy can
    /// raise the rate.
    @Test
    void an_open_loop_whose_requests_are_all_answered_is_harmed_by_the_latency() {
        Recorded kept = Recorded.healthy().responseMillis(64, 39_000).cpuShare(0.97).open(0.1, 0);
        assertThat(kept.diagnosed().wallId()).contains("cpu");
        assertThat(kept.diagnosed().headline().harm()).isEqualTo(Harm.LATENCY);
        Recorded behind = Recorded.healthy().responseMillis(64, 30_000).cpuShare(0.97).open(0.1, 0);
        assertThat(behind.diagnosed().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }
}
