package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LogFigure;
import wallfinder.observation.ProcessFigure;

class FileDescriptorsTest {
    private static final String WALL = "file-descriptors";

    /// A setting of the service.
    private static final Map<String, Knob> MAX_FILES =
            Map.of("maxFiles", new Knob("64", WallId.FILE_DESCRIPTORS, null, List.of()));

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
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .startsWith(
                        "users had 64 of its 64 descriptors open, all of them in 67 % of the time",
                        "meanwhile 44 connections waited to be accepted");
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
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo(
                        "users had 63 of its 64 descriptors open, all of them but one, or all, in 67 % of the time");
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

    private static Recorded behindIt() {
        return full().connections(256)
                .error("connect-timeout", 500)
                .connectMillis(1_030, 80)
                .listener(8080, 129, 128, 244)
                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 244)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 240);
    }

    @Test
    void the_queue_that_overflows_behind_it_is_its_effect() {
        Diagnosis diagnosis = behindIt().diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains("the accept queue behind it overflowed 244 times");
        Judgement.Binds onSharedNetwork = behindIt().host().diagnosed().headline();
        assertThat(onSharedNetwork.evidence())
                .extracting(Evidence::says)
                .contains("meanwhile 129 connections waited to be accepted")
                .noneMatch(says -> says.contains("overflowed"));
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
        Diagnosis reset =
                open(End.SERVER, "users", 76, 76, 76, 76)
                        .error("closed", 1_000)
                        .error("reset", 656)
                        .diagnosed();
        assertThat(reset.headline().evidence())
                .extracting(Evidence::says)
                .contains("the service closed 1656 connections without an answer");
        Diagnosis room =
                open(End.SERVER, "users", 77, 76, 76, 76).error("closed", 1_656).diagnosed();
        assertThat(room.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void refusals_in_the_log_prove_what_no_sample_saw() {
        Recorded seen = open(End.SERVER, "users", 76, 60, 70, 70).error("closed", 90);
        assertThat(seen.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        seen.level(LogFigure.DESCRIPTOR_ERRORS.of("users"), End.SERVER, 90);
        assertThat(seen.diagnosed().verdict()).as("of before").isEqualTo(Verdict.UNNAMED);
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

    @Test
    void a_client_that_fails_with_all_its_descriptors_in_use_has_the_wall_on_its_end() {
        Diagnosis diagnosis =
                open(End.CLIENT, "load", 64, 64, 64, 64).command().error("command", 44).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "load had 64 of its 64 descriptors open, all of them in 100 % of the time");
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

    /// A few of the requests always take five seconds, and most connections wait for such an answer
    /// when the load ends.
    @Test
    void a_few_requests_that_merely_take_long_are_not_unanswered() {
        Recorded mixed = Recorded.healthy().unanswered(37);
        assertThat(mixed.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(mixed.alsoResponseMillis(5_000, 40).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
        Recorded bad = Recorded.healthy().unanswered(37).bad(503, 5_000, 30);
        assertThat(bad.observation().load().unanswered()).isEqualTo(7);
    }

    @Test
    void more_descriptors_are_asked_for_within_what_can_be_given() {
        Limits given = nofile(20_000);
        assertThat(RemedyTest.texts(full().connections(100), nofile(64)))
                .containsExactly("users.nofile 64 -> 256");
        assertThat(
                        RemedyTest.texts(
                                full().connections(15_000).unanswered(14_000).most(given),
                                nofile(64)))
                .containsExactly("users.nofile 64 -> 20000");
        assertThat(RemedyTest.texts(full().most(nofile(64)), nofile(64))).isEmpty();
        assertThat(RemedyTest.texts(full().most(nofile(64)), Limits.NONE)).isEmpty();
    }

    private static Limits nofile(long descriptors) {
        return new Limits(descriptors, null, null, null, null, null, null);
    }

    /// The service may have lowered its limit itself.
    @Test
    void each_bound_that_is_too_small_is_raised() {
        assertThat(RemedyTest.texts(full(), Limits.NONE)).containsExactly("users.nofile 64 -> 256");
        assertThat(RemedyTest.texts(full(), MAX_FILES, Limits.NONE))
                .containsExactly("maxFiles 64 -> 256");
        assertThat(RemedyTest.texts(full(), MAX_FILES, nofile(64)))
                .containsExactly("maxFiles 64 -> 256, users.nofile 64 -> 256");
        assertThat(RemedyTest.texts(full(), MAX_FILES, nofile(256)))
                .containsExactly("maxFiles 64 -> 256");
        assertThat(RemedyTest.texts(full(), nofile(256))).isEmpty();
    }

    @Test
    void only_the_service_without_descriptors_gets_more() {
        Judgement.Binds headline = full().diagnosed().headline();
        Experiment one = RemedyTest.experiment(RemedyTest.service("users", Map.of()));
        Experiment two =
                new Experiment(
                        one.name(),
                        List.of(RemedyTest.service("cache", MAX_FILES), one.services().getFirst()),
                        one.sandbox(),
                        one.load(),
                        one.tries(),
                        one.goal(),
                        one.repeat(),
                        one.objective(),
                        one.text());
        assertThat(headline.wall().remedies(headline, full().observation(), two))
                .extracting(Remedy::text)
                .containsExactly("users.nofile 64 -> 256");
    }

    @Test
    void descriptors_that_nobody_counted_are_unknown() {
        assertThat(open(End.SERVER, "users", 64, 0, 0, 0).diagnosed().ruledOut())
                .extracting(Judgement.NotBinding::because)
                .contains("unknown: the descriptors could not be counted");
    }

    private static String near(Recorded recorded) {
        return near(recorded.diagnosed());
    }

    private static String near(Diagnosis diagnosis) {
        return diagnosis.caveats().stream()
                .filter(caveat -> caveat.id().equals("near:" + WALL))
                .findFirst()
                .orElseThrow()
                .advice();
    }

    /// @param full the number of readings, of eleven, at which no descriptor is left
    private static Recorded moments(int full) {
        double[] open = new double[Recorded.SECONDS + 1];
        for (int i = 0; i < open.length; i++) {
            open[i] = i < full ? 64 : 60;
        }
        return open(End.SERVER, "users", 64, open).everySecond();
    }

    @Test
    void a_table_that_is_nearly_full_says_why_it_is_not_named() {
        assertThat(near(moments(0))).isEqualTo("users had 60 of its 64 descriptors open at most");
        assertThat(near(moments(1)))
                .isEqualTo("users had 64 of its 64 descriptors open, but all of them only briefly");
        assertThat(near(moments(2)))
                .isEqualTo(
                        "users had 64 of its 64 descriptors open, and no connection waited for a descriptor");
        assertThat(near(logged(moments(0), 2)))
                .isEqualTo("users had 60 of its 64 descriptors open, without harm to this load");
    }

    /// Nobody saw whether connections waited.
    @Test
    void a_table_that_is_full_for_a_part_of_a_watch_says_how_long() {
        assertThat(near(moments(4).diagnosedUnseen()))
                .isEqualTo(
                        "users had 64 of its 64 descriptors open, all of them in 36 % of the time");
        assertThat(moments(6).diagnosedUnseen().wallId()).contains(WALL);
    }

    @Test
    void server_errors_count_only_if_all_descriptors_were_in_use_for_some_time() {
        assertThat(moments(1).error("status-5xx", 9_000).diagnosed().verdict())
                .isEqualTo(Verdict.UNNAMED);
        assertThat(moments(2).error("status-5xx", 9_000).diagnosed().wallId()).contains(WALL);
    }

    /// One failed request in 4,000 is no harm by itself.
    @Test
    void a_few_server_errors_are_enough_and_are_the_harm() {
        Diagnosis diagnosis = moments(11).error("status-5xx", 10).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(near(moments(11).error("closed", 10))).contains("no connection waited");
    }

    @Test
    void requests_that_wait_for_a_descriptor_and_get_one_are_slow() {
        Diagnosis diagnosis = logged(moments(0), 2).lockstep().batchMillis(900, 40).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    /// Messages in one of ten seconds.
    @Test
    void a_log_without_a_client_must_grow_most_of_the_time() {
        double[] once = {0, 0, 0, 5, 5, 5, 5, 5, 5, 5, 5};
        Recorded recorded =
                moments(0).put(LogFigure.DESCRIPTOR_ERRORS.of("users"), End.SERVER, once);
        assertThat(near(recorded.diagnosedUnseen()))
                .isEqualTo(
                        "users had 60 of its 64 descriptors open at most, but in no more than 10 % of the time");
        assertThat(logged(recorded, 40).diagnosedUnseen().wallId()).contains(WALL);
        Recorded few = open(End.SERVER, "users", 640, 60, 70, 70).everySecond();
        assertThat(logged(few, 40).diagnosedUnseen().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void a_listener_that_could_not_be_read_does_not_hide_the_connections_of_another() {
        Recorded recorded = full().level(ListenFigure.QUEUE.of(9090), End.SERVER, Double.NaN);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void connections_that_waited_while_descriptors_were_free_waited_for_something_else() {
        Recorded recorded =
                open(End.SERVER, "users", 64, 64, 60, 60)
                        .put(ListenFigure.QUEUE.of(8080), End.SERVER, 0, 44, 44)
                        .unanswered(44);
        assertThat(recorded.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
    }

    @Test
    void the_process_that_was_refused_descriptors_counts_before_a_fuller_one() {
        Recorded recorded =
                moments(11)
                        .level(ProcessFigure.DESCRIPTORS.of("cache"), End.SERVER, 900)
                        .level(ProcessFigure.DESCRIPTOR_LIMIT.of("cache"), End.SERVER, 1_024)
                        .error("closed", 900);
        assertThat(first(recorded)).startsWith("users had 64 of its 64");
        recorded.grows(LogFigure.DESCRIPTOR_ERRORS.of("cache"), End.SERVER, 7);
        assertThat(first(recorded)).startsWith("cache had 900 of its 1024");
    }

    private static String first(Recorded recorded) {
        return recorded.diagnosed().headline().evidence().getFirst().says();
    }

    @Test
    void a_command_that_counts_no_errors_may_have_failed_for_lack_of_descriptors() {
        Recorded full = open(End.CLIENT, "load", 64, 64, 64, 64).commandWithAnswers(0);
        assertThat(full.diagnosed().wallId()).contains(WALL);
        assertThat(full.error("command", 0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void the_advice_has_four_times_as_many_descriptors() {
        Recorded recorded = full();
        Judgement.Binds headline = recorded.diagnosed().headline();
        assertThat(headline.wall().advice(headline, recorded.observation()))
                .extracting(Advice::command)
                .anyMatch(text -> text.endsWith("or ulimit -n 256 before it starts"));
    }
}
