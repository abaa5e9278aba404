package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadFigure;

class SoftirqCpuTest {
    private static final String WALL = "softirq-cpu";

    /// A service on a full CPU, much slower under load. The kernel charges all of its time to the
    /// service.
    ///
    /// @param packets the share of the time in software interrupts
    /// @param idle the share in which this CPU was idle
    private static Recorded receiver(double packets, double idle) {
        double seconds = Recorded.SECONDS;
        return Recorded.healthy()
                .unloadedMillis(15)
                .responseMillis(240, 2_460)
                .cpuShare(1 - idle)
                .contended(0, 0.1)
                .grows(LoadFigure.GENERATOR_CPU, End.CLIENT, 3)
                .grows(LoadFigure.GENERATOR_PROGRAM_CPU, End.CLIENT, 3)
                .grows(EndFigure.CPUS_SOFTIRQ, End.SERVER, packets * seconds)
                .grows(EndFigure.CPUS_SOFTIRQ_MOST, End.SERVER, packets * seconds)
                .grows(EndFigure.CPUS_SOFTIRQ_MOST_IDLE, End.SERVER, idle * seconds)
                .level(EndFigure.CPUS_SOFTIRQ_MOST_CPU, End.SERVER, 3)
                .grows(EndFigure.SOFTNET_PROCESSED, End.SERVER, 50_000)
                .grows(EndFigure.SOFTNET_SQUEEZED, End.SERVER, 0)
                .grows(KernelCounter.IN_SEGMENTS, End.SERVER, 25_000);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.82, 0.9, 1})
    void a_cpu_full_of_packets_is_named_and_the_service_did_not_use_it(double packets) {
        Recorded recorded = receiver(packets, 0);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "CPU 3 handled packets (software interrupts) for %.2f s of 10.00 s"
                                .formatted(10 * packets),
                        "this CPU was idle for 0.00 s",
                        "the CPUs of the server received 50000 packets in all networks of the host",
                        "25000 TCP segments arrived in the server's network");
        assertThat(NotNamed.of(diagnosis, WallId.CPU)).isInstanceOf(Judgement.Clear.class);
        assertThat(NotNamed.of(diagnosis, WallId.CPU_STEAL)).isInstanceOf(Judgement.Clear.class);
        assertThat(new SoftirqCpu().advice(diagnosis.headline(), recorded.observation()))
                .first()
                .satisfies(advice ->
                        assertThat(advice.command())
                                .contains("it takes %.1f us now".formatted(200 * packets)));
    }

    /// As on a host whose ticks found packets for 1.94 of 2.01 s, while its clock counted more idle
    /// time than there was left.
    @Test
    void a_cpu_cannot_be_idle_for_longer_than_it_handled_no_packets() {
        assertThat(receiver(0.965, 0.12).diagnosed().wallId()).contains(WALL);
        assertThat(receiver(0.82, 0.12).diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
    }

    /// As on a virtual machine whose host took a third of the ticks.
    @Test
    void a_share_is_one_of_the_ticks_that_were_counted() {
        Diagnosis diagnosis =
                receiver(0.55, 0)
                        .grows(EndFigure.CPUS_SOFTIRQ_MOST_COUNTED, End.SERVER, 6.2)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo(
                        "CPU 3 handled packets (software interrupts) for 5.50 s of 6.20 s, which is all that the kernel counted of 10.00 s");
        assertThat(
                        receiver(0.55, 0)
                                .grows(EndFigure.CPUS_SOFTIRQ_MOST_COUNTED, End.SERVER, 7.2)
                                .diagnosed()
                                .wallId())
                .contains("cpu");
    }

    /// The CPU's counters are those of all networks of the host.
    @Test
    void on_a_shared_host_the_packets_may_be_those_of_others() {
        Diagnosis diagnosis = receiver(0.9, 0).host().diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void packets_that_were_left_after_a_round_are_evidence() {
        Diagnosis diagnosis =
                receiver(0.9, 0.02).grows(EndFigure.SOFTNET_SQUEEZED, End.SERVER, 22).diagnosed();
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly(
                        "cpus.softirqMost",
                        "cpus.softirqMostIdle",
                        "softnet.processed",
                        "Tcp.InSegs",
                        "softnet.squeezed");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.3, 0.6, 0.78})
    void a_service_that_uses_the_rest_of_its_cpu_is_at_the_cpu(double packets) {
        Diagnosis diagnosis = receiver(packets, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(NotNamed.of(diagnosis, WallId.SOFTIRQ_CPU)).isInstanceOf(Judgement.Clear.class);
    }

    @Test
    void a_cpu_that_is_idle_at_times_could_receive_more() {
        Diagnosis diagnosis = receiver(0.81, 0.15).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
    }

    @Test
    void packets_of_other_networks_are_only_near() {
        Diagnosis diagnosis =
                receiver(0.9, 0)
                        .grows(EndFigure.SOFTNET_PROCESSED, End.SERVER, 200_000)
                        .diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void without_harm_it_is_only_near() {
        Diagnosis diagnosis = receiver(0.9, 0).unloadedMillis(230).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// The services have four CPUs, shared with the generator.
    private static Recorded onFour(double programs) {
        return receiver(0.95, 0)
                .contended(programs, 0)
                .sharing(4, 0.3)
                .cpuShare(0.3)
                .grows(EndFigure.CPUS_SOFTIRQ, End.SERVER, 9.5);
    }

    @Test
    void idle_cpus_beside_the_full_one_change_nothing_and_shared_cpus_make_it_the_path() {
        Diagnosis diagnosis = onFour(0.6).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.PATH);
    }

    @Test
    void programs_that_fill_the_other_cpus_are_the_reason() {
        Diagnosis diagnosis = onFour(3.5).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(NotNamed.because(diagnosis, WallId.SOFTIRQ_CPU))
                .endsWith("; programs use the other CPUs");
    }

    /// Recordings of earlier versions.
    @Test
    void without_the_time_of_single_cpus_it_is_unknown() {
        Diagnosis diagnosis = Recorded.healthy().diagnosed();
        assertThat(NotNamed.of(diagnosis, WallId.SOFTIRQ_CPU))
                .isInstanceOf(Judgement.Unknown.class);
    }
}
