package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;

class DiagnosisTest {
    private static Recorded overflowing() {
        return Recorded.healthy()
                .connections(256)
                .lockstep()
                .batchMillis(1050, 8)
                .batchMillis(80, 2)
                .connectMillis(1030, 80)
                .connectMillis(1, 2000)
                .listener(8080, 129, 128, 244)
                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 244)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 240);
    }

    private static Recorded blocked() {
        return Recorded.healthy().unloadedMillis(15.9).responseMillis(240, 2_460).cpuShare(0.1);
    }

    @Test
    void a_load_that_is_answered_as_fast_as_one_request_has_no_wall() {
        Diagnosis diagnosis = Recorded.healthy().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.headline()).isNull();
        assertThat(diagnosis.ruledOut()).extracting(Judgement::wall).containsAll(Walls.ALL);
    }

    @Test
    void an_open_loop_that_was_sent_late_by_the_generator_is_invalid() {
        Diagnosis diagnosis = Recorded.healthy().open(2.5, 0).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.wallId()).contains("load-generator");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(diagnosis.headline().evidence())
                .anySatisfy(e -> assertThat(e.name()).isEqualTo("generator.lateMillis"));
    }

    @Test
    void lateness_spoils_nothing_if_nothing_was_answered() {
        Recorded late = Recorded.healthy().open(2.5, 0);
        Diagnosis refused = late.responseMillis(1, 0).error("connect-refused", 40_000).diagnosed();
        assertThat(refused.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void lateness_that_is_short_or_a_small_part_of_the_response_time_spoils_nothing() {
        assertThat(Recorded.healthy().open(0.9, 0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
        Recorded slow = Recorded.healthy().unloadedMillis(300).responseMillis(310, 40_000);
        assertThat(slow.open(2.5, 0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void an_open_loop_blames_the_concurrency_only_if_its_connections_were_busy() {
        assertThat(blocked().open(0.1, 2_000).diagnosed().wallId()).contains("server-concurrency");
        Diagnosis idle = blocked().open(0.1, 200).diagnosed();
        assertThat(idle.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(idle.ruledOut())
                .anySatisfy(out -> assertThat(out.because()).contains("connections were idle"));
    }

    @Test
    void requests_of_an_open_loop_that_waited_for_a_connection_are_a_doubt() {
        assertThat(Recorded.healthy().open(0.1, 400).diagnosed().caveats())
                .extracting(Caveat::id)
                .doesNotContain("connections-busy", "littles-law");
        assertThat(Recorded.healthy().open(0.1, 500).diagnosed().caveats())
                .extracting(Caveat::id)
                .contains("connections-busy");
    }

    @Test
    void a_full_accept_queue_is_named_and_cpu_is_ruled_out() {
        Diagnosis diagnosis = overflowing().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NAMED);
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .anySatisfy(e -> {
                    assertThat(e.name()).isEqualTo("TcpExt.ListenOverflows");
                    assertThat(e.before()).isZero();
                    assertThat(e.after()).isEqualTo(244);
                });
        assertThat(diagnosis.ruledOut())
                .extracting(r -> r.wall().id().word())
                .contains("cpu", "server-concurrency");
    }

    @Test
    void a_few_stalled_batches_that_take_most_of_the_time_harm_the_throughput() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .connections(256)
                        .lockstep()
                        .cpuShare(0.16)
                        .batchMillis(25, 47)
                        .batchMillis(1_050, 3)
                        .connectMillis(1_030, 116)
                        .connectMillis(1, 12_000)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 47)
                        .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 116)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void a_batch_that_never_ends_because_of_repeated_handshakes_harms_the_throughput() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .connections(64)
                        .lockstep()
                        .cpuShare(0.02)
                        .responseMillis(2_050, 37)
                        .connectMillis(1_003, 57)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 261)
                        .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 261)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    void a_service_that_always_runs_or_waits_for_a_cpu_is_bound_by_the_cpu_that_others_took() {
        Diagnosis diagnosis = blocked().cpuShare(0.48).contended(0.5, 0.49).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.ruledOut())
                .extracting(r -> r.wall().id().word())
                .contains("server-concurrency");
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .contains("process[users].waiting");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("busy-host");
    }

    private static Recorded late(double responseMillis) {
        return Recorded.healthy()
                .unloadedMillis(15)
                .responseMillis(responseMillis, 2_460)
                .cpuShare(0.1)
                .idleShare(0.6)
                .waitingShare(0.36);
    }

    @Test
    void a_late_generator_is_the_limit_if_that_explains_the_bend() {
        assertThat(late(40).diagnosed().verdict()).isEqualTo(Verdict.INVALID);
    }

    @Test
    void a_bend_that_remains_without_the_time_of_a_late_generator_is_the_services_own() {
        Diagnosis diagnosis = late(240).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("late-generator");
    }

    @Test
    void a_late_generator_that_hardly_waits_for_answers_leaves_nothing_to_judge_by() {
        assertThat(late(2_400).idleShare(0.1).diagnosed().verdict()).isEqualTo(Verdict.INVALID);
    }

    @Test
    void a_late_generator_is_not_the_limit_of_a_service_that_has_no_cpu_left() {
        assertThat(late(40).cpuShare(0.98).diagnosed().wallId()).contains("cpu");
    }

    @Test
    void cpu_time_that_a_hypervisor_took_from_a_running_service_was_not_idle() {
        Recorded most = blocked().cpuShare(0.76).contended(0, 0.02);
        assertThat(most.diagnosed().wallId()).isNotEqualTo(Optional.of("cpu"));
        Diagnosis diagnosis =
                most.grows(EndFigure.CPUS_STEAL, End.SERVER, 0.1 * Recorded.SECONDS).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("noisy-host");
    }

    /// As on a virtual machine whose host stops it for a third of the time and does not say so.
    @Test
    void ticks_that_the_kernel_lost_are_a_doubt() {
        Recorded service = blocked().cpuShare(0.3);
        double all = Recorded.SECONDS * service.observation().facts().serverCpus();
        assertThat(
                        service.grows(EndFigure.CPUS_COUNTED, End.SERVER, 0.9 * all)
                                .diagnosed()
                                .caveats())
                .extracting(Caveat::id)
                .doesNotContain("lost-ticks");
        assertThat(
                        service.grows(EndFigure.CPUS_COUNTED, End.SERVER, 0.68 * all)
                                .diagnosed()
                                .caveats())
                .filteredOn(caveat -> caveat.id().equals("lost-ticks"))
                .singleElement()
                .extracting(Caveat::advice)
                .asString()
                .startsWith("the kernel lost 32 % of the ticks");
    }

    @Test
    void threads_that_wait_for_each_other_do_not_show_a_busy_host() {
        Diagnosis diagnosis = blocked().cpuShare(0.3).contended(0, 1.5).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
    }

    @Test
    void a_host_that_is_busy_with_others_does_not_harm_a_service_that_does_not_wait_for_it() {
        Diagnosis diagnosis = blocked().cpuShare(0.1).contended(0.9, 0.05).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
    }

    @Test
    void overflows_without_slow_connects_are_only_near() {
        Diagnosis diagnosis =
                Recorded.healthy().grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 3).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:accept-queue");
    }

    @Test
    void overflows_of_another_service_on_the_host_do_not_count() {
        Diagnosis diagnosis = overflowing().host().listener(8080, 3, 128, 0).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(java.util.Optional.of("accept-queue"));
    }

    @Test
    void with_a_busy_cpu_overflows_harm_the_tail_and_both_are_named() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .connections(512)
                        .unloadedMillis(0.2)
                        .responseMillis(16, 39_000)
                        .alsoResponseMillis(1040, 1_000)
                        .connectMillis(1030, 1_000)
                        .cpuShare(0.99)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 4_000)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).containsExactly("cpu");
        assertThat(diagnosis.also().getFirst().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    void most_connections_still_repeating_their_handshake_at_the_end_are_no_quick_load() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .connections(512)
                        .unloadedMillis(0.5)
                        .responseMillis(5, 11_950)
                        .alsoResponseMillis(2_050, 50)
                        .connectMillis(2_050, 50)
                        .unanswered(400)
                        .cpuShare(0.99)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 3_000)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(diagnosis.headline().evidence())
                .anySatisfy(e -> assertThat(e.says()).contains("400 of 512 connections"));
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).containsExactly("cpu");
    }

    /// As in a service that reads the requests at once and keeps them in a queue of its own.
    @Test
    void a_wait_that_nobody_sees_is_not_the_concurrency() {
        Diagnosis diagnosis =
                blocked().level(ListenFigure.UNREAD.of(8080), End.SERVER, 5).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out -> assertThat(out.because()).contains("20 ms to be read"));
    }

    /// The samples of the connections may be in moments with longer queues than usual.
    @Test
    void waits_that_seem_longer_than_the_response_leave_the_work_of_a_lone_request() {
        Recorded sampled = blocked().level(ListenFigure.UNREAD.of(8080), End.SERVER, 62);
        assertThat(sampled.diagnosed().wallId()).contains("server-concurrency");
        Recorded running =
                Recorded.healthy()
                        .unloadedMillis(4)
                        .responseMillis(240, 2_460)
                        .cpuShare(0.6)
                        .level(ListenFigure.UNREAD.of(8080), End.SERVER, 62);
        assertThat(running.diagnosed().wallId())
                .as("workers that run are as many as the CPUs allow")
                .isEmpty();
    }

    /// A small service on the CPUs of the generator: ten connections, and 70,000 answers a second.
    @Test
    void requests_that_wait_for_workers_that_run_are_not_the_concurrency() {
        Recorded quick =
                Recorded.healthy()
                        .connections(10)
                        .unloadedMillis(0.045)
                        .responseMillis(0.143, 700_000)
                        .cpuShare(0.94)
                        .sharing(2, 0.54)
                        .grows(ProcessFigure.WAITING.of("users"), End.SERVER, 10.9);
        assertThat(quick.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void blocked_workers_with_an_idle_cpu_are_server_concurrency() {
        Diagnosis diagnosis = blocked().diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        List<Evidence> evidence = diagnosis.headline().evidence();
        assertThat(evidence.getFirst().name()).isEqualTo("budget.unread");
        assertThat(evidence.getFirst().says())
                .contains("it waited 0.00 ms to be accepted and 244 ms to be read");
        assertThat(evidence.get(1).after()).isBetween(3.5, 4.5);
        assertThat(diagnosis.ruledOut())
                .extracting(r -> r.wall().id().word())
                .contains("accept-queue", "cpu");
    }

    @Test
    void the_same_latency_with_a_busy_cpu_is_not_server_concurrency() {
        Diagnosis diagnosis = blocked().cpuShare(0.97).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void a_single_busy_thread_is_cpu_even_if_the_others_idle() {
        Diagnosis diagnosis = blocked().cpuShare(0.5).busiestThreadShare(0.99).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
    }

    @Test
    void a_busy_cpu_whose_latency_did_not_grow_is_only_near() {
        Diagnosis diagnosis = Recorded.healthy().cpuShare(0.95).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:cpu");
    }

    @Test
    void a_busy_cpu_does_not_explain_errors_without_delay() {
        Diagnosis diagnosis = Recorded.healthy().cpuShare(0.95).error("reset", 400).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:cpu");
    }

    @Test
    void a_generator_that_never_waits_makes_the_result_invalid() {
        Diagnosis diagnosis = blocked().idleShare(0.01).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.wallId()).contains("load-generator");
    }

    @Test
    void the_start_of_a_generator_is_not_its_limit() {
        Diagnosis diagnosis =
                blocked().idleShare(0.01).waitingShare(0.6).loadSeconds(0.02).diagnosed();
        assertThat(diagnosis.verdict()).isNotEqualTo(Verdict.INVALID);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("short-run");
        assertThat(Recorded.healthy().exhausted("ports", 9).loadSeconds(0.02).diagnosed().wallId())
                .contains("load-generator");
    }

    @Test
    void a_busy_generator_whose_answers_are_as_fast_as_without_load_is_valid() {
        assertThat(Recorded.healthy().idleShare(0.01).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
    }

    @Test
    void a_generator_without_ports_makes_the_result_invalid() {
        Diagnosis diagnosis =
                Recorded.healthy().exhausted("ports", 44).error("connect-no-port", 44).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    void a_command_that_uses_all_ports_has_the_wall_on_its_end() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .command()
                        .error("command", 44)
                        .level(PortsFigure.USED.of("10.0.0.1:8080"), End.CLIENT, 256)
                        .level(PortsFigure.LIMIT.of("10.0.0.1:8080"), End.CLIENT, 256)
                        .clientSysctl("net.ipv4.ip_local_port_range", "32768\t33023")
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("ephemeral-ports");
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
    }

    @Test
    void half_of_the_ports_are_no_wall() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .command()
                        .error("command", 44)
                        .level(PortsFigure.USED.of("10.0.0.1:8080"), End.CLIENT, 128)
                        .level(PortsFigure.LIMIT.of("10.0.0.1:8080"), End.CLIENT, 256)
                        .diagnosed();
        assertThat(diagnosis.wallId()).isEmpty();
    }

    @Test
    void walls_of_an_unwatched_server_are_unknown() {
        Diagnosis diagnosis = blocked().unwatched().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("server not watched");
    }

    @Test
    void a_server_that_closes_connections_unanswered_is_described() {
        Diagnosis diagnosis = Recorded.healthy().error("closed", 5_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("closes accepted connections unanswered");
    }

    @Test
    void error_statuses_that_begin_with_the_load_are_harm() {
        Recorded all = Recorded.healthy().error("status-5xx", 40_000);
        assertThat(all.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(all.diagnosed().seen()).contains("answers badly to 100 % of the requests");
        assertThat(all.alone(0, 20).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// No exchange failed either: the time-out of ten seconds is longer than the load.
    @Test
    void a_service_that_answers_nobody_at_all_has_stopped() {
        Recorded silent = Recorded.healthy().unloadedMillis(0).responseMillis(0, 0).cpuShare(0);
        Diagnosis diagnosis = silent.unanswered(64).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("64 of 64 connections without an answer");
    }

    private static Recorded starving(double unread) {
        Recorded starving = Recorded.healthy().unanswered(56);
        return starving.level(ListenFigure.UNREAD.of(8080), End.SERVER, unread);
    }

    @Test
    void unread_connections_beside_answered_ones_are_server_concurrency() {
        Diagnosis diagnosis = starving(56).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .contains("connections at work at once", "unanswered", "listen[8080].unread");
    }

    @Test
    void requests_that_were_read_and_never_answered_are_not_server_concurrency() {
        assertThat(starving(8).diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(starving(56).unanswered(0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void unread_connections_with_a_busy_cpu_or_refused_threads_have_another_cause() {
        assertThat(starving(56).cpuShare(0.97).diagnosed().ruledOut())
                .extracting(Judgement::wall)
                .contains(new ServerConcurrency());
        Recorded refused =
                starving(56)
                        .grows(CgroupFigure.FORKS_REFUSED.of("users"), End.SERVER, 40)
                        .level(CgroupFigure.TASKS.of("users"), End.SERVER, 30)
                        .level(CgroupFigure.TASK_LIMIT.of("users"), End.SERVER, 30);
        assertThat(refused.diagnosed().wallId()).contains("thread-limit");
        assertThat(refused.diagnosed().also()).isEmpty();
    }

    @Test
    void a_service_that_computes_during_lookups_is_bound_by_the_cpu() {
        Recorded busy = Recorded.healthy().unloadedMillis(0).responseMillis(0, 0).cpuShare(0.97);
        assertThat(busy.unanswered(64).diagnosed().wallId()).contains("cpu");
    }

    /// With 40 requests a second, a request that takes 3 ms seldom finds another one before it.
    @Test
    void an_open_loop_whose_requests_wait_little_or_are_alone_has_not_stopped() {
        Recorded quick = Recorded.healthy().unloadedMillis(0.13);
        assertThat(quick.responseMillis(0.3, 100_000).open(0.1, 0).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
        assertThat(quick.responseMillis(3, 400).open(0.1, 0).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
        assertThat(quick.responseMillis(3, 4_000).open(0.1, 0).diagnosed().verdict())
                .isEqualTo(Verdict.UNNAMED);
    }
}
