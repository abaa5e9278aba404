package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LogFigure;
import wallfinder.observation.ProcessFigure;

class FileDescriptorsTest {
    private static final String WALL = "file-descriptors";

    /// Samples at three instants; the last two are under load.
    private static Recorded open(End end, String process, double limit, double... descriptors) {
        return Recorded.healthy()
                .put(ProcessFigure.DESCRIPTORS.of(process), end, descriptors)
                .level(ProcessFigure.DESCRIPTOR_LIMIT.of(process), end, limit);
    }

    private static Recorded full() {
        return open(End.SERVER, "users", 64, 60, 64, 64)
                .put(ListenFigure.QUEUE.of(8080), End.SERVER, 0, 44, 44)
                .unanswered(44);
    }

    @Test
    void waiting_connections_while_all_descriptors_are_in_use_are_named() {
        Diagnosis diagnosis = full().diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("process[users].descriptors", "listen[8080].queue", "unanswered");
        assertThat(diagnosis.also()).isEmpty();
    }

    /// Others ended with the load and gave up their descriptors. No percentile shows the 44.
    @Test
    void connections_that_got_an_answer_only_when_the_load_ended_count_as_unanswered() {
        Recorded late =
                full().unanswered(0).responseMillis(16, 39_956).alsoResponseMillis(9_500, 44);
        Diagnosis diagnosis = late.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "44 of 64 connections waited for an answer for most of the load, or got none");
    }

    /// The proxy accepts one more connection, has no descriptor left for its upstream, fails, and
    /// closes the connection again.
    @Test
    void a_proxy_that_fails_and_leaves_others_waiting_one_short_of_its_limit_is_named() {
        Recorded oneShort =
                open(End.SERVER, "users", 64, 60, 63, 63)
                        .put(ListenFigure.QUEUE.of(8080), End.SERVER, 0, 15, 14)
                        .unanswered(15);
        assertThat(oneShort.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        Diagnosis diagnosis = oneShort.error("status-5xx", 8).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        Diagnosis nobodyWaits =
                open(End.SERVER, "users", 64, 60, 63, 63).error("status-5xx", 8).diagnosed();
        assertThat(nobodyWaits.wallId()).isNotEqualTo(Optional.of(WALL));
    }

    /// The answered requests are so quick that the time-outs are hardly one exchange in a thousand.
    @Test
    void a_few_time_outs_that_take_half_of_the_connections_time_are_harm() {
        Recorded few = full().unanswered(0).error("timeout", 9);
        assertThat(few.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        Diagnosis diagnosis = few.failedSeconds(30).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence()).extracting(Evidence::name).contains("failed");
    }

    @Test
    void a_cpu_kept_busy_by_the_other_connections_does_not_explain_the_wait() {
        Recorded busy = full().unanswered(0).error("timeout", 90).failedSeconds(30).cpuShare(0.97);
        Diagnosis diagnosis = busy.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        Diagnosis room =
                busy.level(ProcessFigure.DESCRIPTOR_LIMIT.of("users"), End.SERVER, 640).diagnosed();
        assertThat(room.wallId()).contains("cpu");
    }

    @Test
    void the_queue_that_overflows_behind_it_is_its_effect() {
        Diagnosis diagnosis =
                full().connections(256)
                        .error("connect-timeout", 500)
                        .connectMillis(1_030, 80)
                        .listener(8080, 129, 128, 244)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 244)
                        .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 240)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .contains(KernelCounter.LISTEN_OVERFLOWS.text());
    }

    @Test
    void the_same_overflows_with_descriptors_to_spare_are_the_queues_own() {
        Diagnosis diagnosis =
                open(End.SERVER, "users", 64, 50, 62, 62)
                        .connections(256)
                        .error("connect-timeout", 500)
                        .connectMillis(1_030, 80)
                        .listener(8080, 129, 128, 244)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 244)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void a_service_that_computes_with_its_last_descriptor_in_use_is_bound_by_the_cpu() {
        Diagnosis diagnosis =
                open(End.SERVER, "users", 64, 64, 64, 64)
                        .responseMillis(240, 2_460)
                        .cpuShare(0.97)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void a_full_table_that_harms_nobody_is_only_near() {
        Diagnosis diagnosis = open(End.SERVER, "users", 64, 64, 64, 64).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void half_of_the_descriptors_are_no_wall() {
        Diagnosis diagnosis = open(End.SERVER, "users", 128, 64, 64, 64).diagnosed();
        assertThat(diagnosis.caveats()).extracting(Caveat::id).doesNotContain("near:" + WALL);
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out -> assertThat(out.because()).contains("64 of its 128"));
    }

    @Test
    void a_proxy_without_a_descriptor_for_its_upstream_is_named() {
        Diagnosis diagnosis =
                open(End.SERVER, "users", 64, 64, 64, 64).error("status-5xx", 9_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    void server_errors_with_free_descriptors_have_another_cause() {
        Diagnosis diagnosis =
                open(End.SERVER, "users", 64, 63, 63, 63).error("status-5xx", 9_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    /// Node.js keeps one descriptor back, with which it accepts connections and closes them at
    /// once.
    @Test
    void a_service_that_closes_connections_with_all_descriptors_in_use_is_named() {
        Diagnosis diagnosis =
                open(End.SERVER, "users", 76, 76, 76, 76).error("closed", 1_656).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("process[users].descriptors", "closed");
        Diagnosis room =
                open(End.SERVER, "users", 77, 76, 76, 76).error("closed", 1_656).diagnosed();
        assertThat(room.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void refusals_in_the_log_prove_what_no_sample_saw() {
        Recorded seen = open(End.SERVER, "users", 76, 60, 70, 70).error("closed", 90);
        assertThat(seen.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        Diagnosis diagnosis = logged(seen, 90).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly(
                        "process[users].descriptors", "log[users].descriptorErrors", "closed");
    }

    private static Recorded logged(Recorded recorded, double messages) {
        return recorded.grows(LogFigure.DESCRIPTOR_ERRORS.of("users"), End.SERVER, messages);
    }

    @Test
    void refusals_in_the_log_without_harm_are_only_near() {
        Diagnosis diagnosis = logged(open(End.SERVER, "users", 76, 60, 70, 70), 2).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// inotify_init fails with EMFILE, too, if the user has too many watches.
    @Test
    void refusals_in_the_log_of_a_process_with_most_descriptors_free_have_another_cause() {
        Diagnosis diagnosis =
                logged(open(End.SERVER, "users", 640, 60, 70, 70).error("closed", 90), 90)
                        .diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void a_process_that_lowers_its_own_limit_is_full_at_the_new_one() {
        Diagnosis diagnosis =
                open(End.SERVER, "users", 640, 60, 64, 64)
                        .put(ProcessFigure.DESCRIPTOR_LIMIT.of("users"), End.SERVER, 640, 64, 64)
                        .error("status-5xx", 9_000)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
    }

    private static Recorded host(double open, double limit) {
        return open(End.SERVER, "users", 640, 60, 70, 70)
                .level(EndFigure.HOST_FILES, End.SERVER, open)
                .level(EndFigure.HOST_FILES_LIMIT, End.SERVER, limit);
    }

    @Test
    void a_host_with_all_its_files_open_is_named_if_requests_fail() {
        Diagnosis diagnosis = host(9_990, 10_000).error("closed", 900).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("hostFiles.open", "closed");
        Wall wall = diagnosis.headline().wall();
        assertThat(wall.advice(diagnosis.headline(), host(9_990, 10_000).observation()))
                .extracting(Advice::command)
                .anyMatch(text -> text.contains("fs.file-max=40000"));
    }

    @Test
    void connections_that_wait_while_the_host_has_no_file_left_are_named() {
        Diagnosis diagnosis =
                host(10_000, 10_000)
                        .put(ListenFigure.QUEUE.of(8080), End.SERVER, 0, 44, 44)
                        .unanswered(44)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
    }

    @Test
    void a_host_with_files_left_or_a_service_that_does_not_fail_is_not_named() {
        assertThat(host(9_800, 10_000).error("closed", 900).diagnosed().verdict())
                .isEqualTo(Verdict.UNNAMED);
        assertThat(host(10_000, 10_000).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void a_client_that_fails_with_all_its_descriptors_in_use_has_the_wall_on_its_end() {
        Diagnosis diagnosis =
                open(End.CLIENT, "load", 64, 64, 64, 64).command().error("command", 44).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
    }

    @Test
    void connections_that_are_never_answered_stop_a_load_even_if_no_wall_explains_it() {
        Diagnosis diagnosis = Recorded.healthy().unanswered(16).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("leaves 16 of 64 connections without an answer");
        assertThat(Recorded.healthy().unanswered(1).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void requests_that_merely_take_long_are_not_unanswered() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .unloadedMillis(1_500)
                        .responseMillis(1_600, 400)
                        .unanswered(64)
                        .diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void more_descriptors_are_asked_for_within_what_can_be_given() {
        Limits given = new Limits(20_000L, null, null, null, null, null, null);
        assertThat(
                        RemedyTest.texts(
                                full().connections(100),
                                new Limits(64L, null, null, null, null, null, null)))
                .containsExactly("users.nofile 64 -> 256");
        assertThat(
                        RemedyTest.texts(
                                full().connections(15_000).unanswered(14_000).most(given),
                                new Limits(64L, null, null, null, null, null, null)))
                .containsExactly("users.nofile 64 -> 20000");
    }
}
