package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LogFigure;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;

/// Recorded observations of load commands: their walls are on the client's end.
class ClientUnderStudyTest {
    private static final double MB = 1 << 20;

    /// A program that reports its rate and no failure.
    private static Recorded client() {
        return Recorded.healthy().commandWithAnswers(20_000).error("command", 0);
    }

    private static Key load(ProcessFigure figure) {
        return figure.of("load");
    }

    private static Key jvm(JvmFigure figure) {
        return figure.of("load");
    }

    private static void assertNamed(Diagnosis diagnosis, String wall) {
        assertThat(diagnosis.verdict()).as("%s", diagnosis).isEqualTo(Verdict.NAMED);
        assertThat(diagnosis.wallId()).contains(wall);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
        assertThat(diagnosis.headline().evidence()).isNotEmpty();
    }

    @Test
    void a_client_that_uses_all_its_cpu_is_named_and_not_the_idle_service() {
        Diagnosis diagnosis = client().grows(load(ProcessFigure.CPU), End.CLIENT, 9.6).diagnosed();
        assertNamed(diagnosis, "cpu");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo("load used 9.60 CPU seconds in 10.00 s (0.96 of 1 CPU)");
    }

    @Test
    void a_client_with_cpu_to_spare_is_not_named() {
        assertThat(client().grows(load(ProcessFigure.CPU), End.CLIENT, 7).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
    }

    @Test
    void our_own_engine_is_never_the_client_under_study() {
        assertThat(
                        Recorded.healthy()
                                .grows(load(ProcessFigure.CPU), End.CLIENT, 9.9)
                                .diagnosed()
                                .verdict())
                .isEqualTo(Verdict.NONE);
    }

    @Test
    void a_service_that_uses_all_its_cpu_comes_before_its_client() {
        Diagnosis diagnosis =
                client().cpuShare(0.97).grows(load(ProcessFigure.CPU), End.CLIENT, 9.6).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
    }

    private static Recorded collecting(double stopped, double heapUsed, double full) {
        return client().grows(load(ProcessFigure.CPU), End.CLIENT, 8)
                .grows(jvm(JvmFigure.COLLECTOR_CPU), End.CLIENT, 6)
                .grows(jvm(JvmFigure.PAUSE_SECONDS), End.CLIENT, stopped * Recorded.SECONDS)
                .grows(jvm(JvmFigure.FULL_PAUSE_SECONDS), End.CLIENT, stopped * Recorded.SECONDS)
                .grows(jvm(JvmFigure.FULL_COLLECTIONS), End.CLIENT, full)
                .grows(jvm(JvmFigure.PAUSES), End.CLIENT, 100)
                .level(jvm(JvmFigure.HEAP_MAX), End.CLIENT, 64 * MB)
                .level(jvm(JvmFigure.HEAP_USED), End.CLIENT, heapUsed * MB);
    }

    @Test
    void a_client_whose_collector_stops_it_is_named() {
        assertNamed(collecting(0.4, 20, 0).diagnosed(), "gc");
        assertThat(collecting(0.05, 20, 0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// Without a free CPU, its collector takes the time in which it could send requests.
    @Test
    void a_client_whose_collector_takes_the_cpu_that_it_needs_is_named() {
        Recorded busy = collecting(0.05, 20, 0).grows(load(ProcessFigure.CPU), End.CLIENT, 9.6);
        assertNamed(busy.diagnosed(), "gc");
        busy.grows(jvm(JvmFigure.COLLECTOR_CPU), End.CLIENT, 3);
        assertNamed(busy.diagnosed(), "cpu");
    }

    @Test
    void the_collector_for_a_client_fits_its_own_cpus() {
        Recorded stopped = collecting(0.4, 20, 0);
        Judgement.Binds binds = stopped.diagnosed().headline();
        assertThat(Remedies.of(binds, stopped.cpus(1, 2).observation(), experiment(Map.of())))
                .extracting(Remedy::text)
                .containsExactly(
                        "load.heap -Xmx64m -> -Xmx256m",
                        "load.collector default -> -XX:+UseParallelGC");
        assertThat(Remedies.of(binds, stopped.cpus(2, 1).observation(), experiment(Map.of())))
                .extracting(Remedy::text)
                .containsExactly("load.heap -Xmx64m -> -Xmx256m");
    }

    @Test
    void a_client_that_logs_a_full_heap_is_named() {
        Recorded logged = collecting(0.05, 20, 0).error("command", 44);
        logged.grows(LogFigure.HEAP_ERRORS.of("load"), End.CLIENT, 3);
        assertNamed(logged.diagnosed(), "heap");
        assertThat(logged.diagnosed().headline().evidence().getFirst().says())
                .isEqualTo("load wrote OutOfMemoryError for its heap 3 times");
    }

    @Test
    void a_client_whose_heap_is_full_is_named_and_given_a_larger_one() {
        Recorded full = collecting(0.7, 62, 40);
        assertNamed(full.diagnosed(), "heap");
        Judgement.Binds binds = full.diagnosed().headline();
        assertThat(Remedies.of(binds, full.observation(), experiment(Map.of())))
                .extracting(Remedy::text)
                .containsExactly("load.heap -Xmx64m -> -Xmx256m");
    }

    @Test
    void a_client_stopped_by_its_quota_is_named() {
        Diagnosis diagnosis =
                client().grows(CgroupFigure.THROTTLED_PERIODS.of("load"), End.CLIENT, 60)
                        .grows(CgroupFigure.PERIODS.of("load"), End.CLIENT, 100)
                        .diagnosed();
        assertNamed(diagnosis, "cpu-quota");
    }

    @Test
    void a_client_at_its_descriptor_limit_that_reports_no_errors_is_named() {
        Recorded silent =
                Recorded.healthy()
                        .commandWithAnswers(20_000)
                        .level(load(ProcessFigure.DESCRIPTORS), End.CLIENT, 256)
                        .level(load(ProcessFigure.DESCRIPTOR_LIMIT), End.CLIENT, 256);
        assertNamed(silent.diagnosed(), "file-descriptors");
        assertThat(silent.error("command", 0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// All of 256 ports are in use, by connections that were closed.
    private static Recorded churning(Recorded recorded, double used) {
        return recorded.put(PortsFigure.USED.of("busiest"), End.CLIENT, 0, 90, used)
                .level(PortsFigure.LIMIT.of("busiest"), End.CLIENT, 256)
                .put(KernelCounter.TIME_WAIT, End.CLIENT, 0, 88, used - 2)
                .level(KernelCounter.TCP_IN_USE, End.CLIENT, 4)
                .grows(KernelCounter.ACTIVE_OPENS, End.CLIENT, 2_000);
    }

    @Test
    void ports_that_closing_used_up_without_an_error_are_near_with_their_cause() {
        Diagnosis diagnosis = churning(client(), 256).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .extracting(Caveat::id)
                .contains("near:connection-churn", "near:ephemeral-ports");
        assertThat(advice(diagnosis)).contains("2000 connections were opened, for 10.0 requests");
        assertNamed(churning(client(), 256).error("command", 44).diagnosed(), "connection-churn");
    }

    @Test
    void ports_that_ran_out_between_two_counts_are_named_by_the_open_connections_and_the_errors() {
        Recorded between =
                churning(client(), 250)
                        .level(PortsFigure.CONNECTED.of("busiest"), End.CLIENT, 8)
                        .error("command", 44);
        assertNamed(between.diagnosed(), "connection-churn");
        between.level(PortsFigure.CONNECTED.of("busiest"), End.CLIENT, 4);
        assertThat(between.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void ports_that_would_not_last_a_minute_are_near() {
        Diagnosis diagnosis = churning(client(), 128).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(advice(diagnosis))
                .contains("13 connections a second were closed first by this end")
                .contains(
                        "the 256 ports towards one destination would have been used up after 20 s");
    }

    @Test
    void closing_within_a_minute_of_ports_is_no_wall() {
        Recorded slow =
                churning(client(), 128).level(PortsFigure.LIMIT.of("busiest"), End.CLIENT, 900);
        assertThat(slow.diagnosed().caveats()).isEmpty();
    }

    private static String advice(Diagnosis diagnosis) {
        return diagnosis.caveats().stream()
                .filter(caveat -> caveat.id().equals("near:connection-churn"))
                .map(Caveat::advice)
                .findFirst()
                .orElse("");
    }

    @Test
    void a_client_knob_with_values_is_turned_to_each_before_any_sysctl() {
        Recorded churning =
                churning(client(), 256)
                        .error("command", 44)
                        .clientSysctl("net.ipv4.tcp_tw_reuse", "2");
        Knob knob = new Knob("1", WallId.CONNECTION_CHURN, null, List.of("2", "three"));
        Judgement.Binds binds = churning.diagnosed().headline();
        assertThat(Remedies.of(binds, churning.observation(), experiment(Map.of("hatter", knob))))
                .extracting(Remedy::text)
                .containsExactly(
                        "hatter 1 -> 2", "hatter 1 -> three", "net.ipv4.tcp_tw_reuse 2 -> 1");
    }

    private static Experiment experiment(Map<String, Knob> knobs) {
        ServiceSpec program =
                new ServiceSpec(
                        LoadSpec.Command.NAME,
                        "java -Xmx64m Drive",
                        null,
                        Map.of(),
                        null,
                        null,
                        null,
                        Limits.NONE,
                        new Readiness.Log(""),
                        ServiceSpec.READY_WITHIN_DEFAULT,
                        knobs);
        return new Experiment(
                "recorded",
                List.of(),
                new SandboxSpec(Map.of(), Map.of()),
                new LoadSpec.Command(program, java.time.Duration.ofSeconds(10), null),
                List.of(),
                Experiment.Goal.THROUGHPUT,
                2,
                null,
                "");
    }
}
