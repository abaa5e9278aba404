package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.LoadFigure;

class CpuStealTest {
    private static final String WALL = "cpu-steal";

    /// A service on one CPU, much slower under load.
    ///
    /// @param used the service's share of the CPU
    /// @param others the share of all others
    /// @param waiting the share of the time in which the service was ready to run
    /// @param program the share that this program used outside its engine's threads
    private static Recorded worker(double used, double others, double waiting, double program) {
        return Recorded.healthy()
                .unloadedMillis(15)
                .responseMillis(240, 2_460)
                .cpuShare(used)
                .contended(others, waiting)
                .grows(LoadFigure.GENERATOR_CPU, End.CLIENT, 3)
                .grows(
                        LoadFigure.GENERATOR_PROGRAM_CPU,
                        End.CLIENT,
                        3 + program * Recorded.SECONDS);
    }

    private static String because(Diagnosis diagnosis) {
        return NotNamed.because(diagnosis, WallId.CPU_STEAL);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.3, 0.5, 0.55})
    void a_service_that_others_keep_from_its_cpu_is_named_with_what_they_used(double used) {
        Diagnosis diagnosis = worker(used, 1 - used, 1 - used, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly(
                        "cpus.others", "process[users].waiting", "cpus.busy", "process[users].cpu");
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo(
                        "others used %.2f of the 10.00 CPU seconds of these CPUs"
                                .formatted(10 * (1 - used)));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.65, 0.8, 0.95})
    void a_service_that_gets_most_of_the_cpu_is_at_the_cpu(double used) {
        Diagnosis diagnosis = worker(used, 1 - used, 1 - used, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.also()).isEmpty();
    }

    /// The threads of a service wait for each other, and for a moment of another program.
    @Test
    void threads_that_wait_for_threads_of_their_own_service_are_at_the_cpu() {
        Diagnosis diagnosis = worker(0.97, 0.03, 8, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(because(diagnosis))
                .endsWith("others took 3 % of the CPU time that the services wanted");
    }

    @Test
    void the_other_threads_of_this_program_are_no_others() {
        assertThat(worker(0.45, 0.55, 0.55, 0.3).diagnosed().wallId()).contains("cpu");
    }

    @Test
    void a_generator_on_the_same_cpu_is_no_other() {
        Diagnosis diagnosis =
                worker(0.45, 0.55, 0.55, 0)
                        .sharing(1, 0.5)
                        .grows(LoadFigure.GENERATOR_PROGRAM_CPU, End.CLIENT, 5)
                        .diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
    }

    @Test
    void packets_that_the_kernel_handles_count_for_nobody() {
        Diagnosis diagnosis =
                worker(0.45, 0.55, 0.55, 0)
                        .grows(EndFigure.CPUS_SOFTIRQ, End.SERVER, 4)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
    }

    @Test
    void a_service_that_sleeps_while_others_run_is_not_named() {
        Diagnosis diagnosis = worker(0.2, 0.8, 0.3, 0).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
    }

    /// It waited for a thread on a CPU of its own choice.
    @Test
    void a_service_with_an_idle_cpu_is_not_named() {
        Diagnosis diagnosis = worker(0.4, 0.4, 0.6, 0).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
    }

    @Test
    void a_service_as_fast_as_without_load_is_not_named() {
        Diagnosis diagnosis = worker(0.4, 0.6, 0.6, 0).unloadedMillis(230).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void the_time_that_a_hypervisor_takes_is_named_with_advice_for_it() {
        Recorded stolen = worker(0.5, 0, 0, 0).grows(EndFigure.CPUS_STEAL, End.SERVER, 5);
        Diagnosis diagnosis = stolen.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .contains("cpus.others", "cpus.steal");
        assertThat(new CpuSteal().advice(diagnosis.headline(), stolen.observation()))
                .singleElement()
                .satisfies(advice -> assertThat(advice.command()).contains("virtual machine"));
    }

    /// The programs that took the CPU are unknown, because this program may be one of them.
    @Test
    void without_the_cpu_time_of_this_program_the_wall_is_unknown() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .unloadedMillis(15)
                        .responseMillis(240, 2_460)
                        .cpuShare(0.4)
                        .contended(0.6, 0.6)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(NotNamed.of(diagnosis, WallId.CPU_STEAL)).isInstanceOf(Judgement.Unknown.class);
    }
}
