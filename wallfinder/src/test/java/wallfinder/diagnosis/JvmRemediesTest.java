package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.ServiceSpec;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;

class JvmRemediesTest {
    private static final long MB = 1 << 20;

    private static Limits memory(@Nullable Long megabytes) {
        return new Limits(
                null, null, megabytes == null ? null : megabytes * MB, null, null, null, null);
    }

    private static Experiment experiment(String command, @Nullable String jvm, Limits limits) {
        ServiceSpec service =
                new ServiceSpec(
                        "users",
                        command,
                        jvm,
                        Map.of(),
                        null,
                        null,
                        null,
                        limits,
                        new Readiness.Log("up"),
                        ServiceSpec.READY_WITHIN_DEFAULT,
                        Map.of());
        return RemedyTest.experiment(service);
    }

    private static List<String> texts(Recorded recorded, Experiment experiment) {
        Judgement.Binds headline = recorded.diagnosed().headline();
        return headline.wall().remedies(headline, recorded.observation(), experiment).stream()
                .map(Remedy::text)
                .toList();
    }

    private static Recorded collecting() {
        return GcTest.collecting(0.98, 0.5, 0.5, 60).responseMillis(45, 14_000);
    }

    @Test
    void a_collector_gets_four_times_the_heap() {
        assertThat(
                        texts(
                                collecting(),
                                experiment("{jvm}/bin/java -Xmx96m Users", null, Limits.NONE)))
                .containsExactly("users.heap -Xmx96m -> -Xmx384m");
    }

    @Test
    void a_heap_that_does_not_fit_its_container_gets_a_larger_one() {
        assertThat(texts(collecting(), experiment("java Users", null, memory(256L))))
                .containsExactly("users.heap default -> -Xmx384m, users.memory 256m -> 549m");
    }

    @Test
    void no_more_heap_is_asked_for_than_the_host_has() {
        Recorded recorded = collecting().most(memory(300L));
        assertThat(texts(recorded, experiment("java -Xmx96m Users", null, Limits.NONE)))
                .containsExactly("users.heap -Xmx96m -> -Xmx210m");
        recorded.most(memory(150L));
        assertThat(texts(recorded, experiment("java -Xmx96m Users", null, Limits.NONE))).isEmpty();
    }

    @Test
    void on_one_cpu_the_serial_collector_replaces_one_for_many_cpus() {
        assertThat(texts(collecting(), experiment("java -XX:+UseZGC Users", null, Limits.NONE)))
                .containsExactly(
                        "users.heap default -> -Xmx384m",
                        "users.collector -XX:+UseZGC -> -XX:+UseSerialGC");
    }

    @Test
    void for_the_tail_the_collector_is_changed_first() {
        Recorded recorded = GcTest.collecting(0.3, 0.1, 0.04, 180);
        recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
        assertThat(texts(recorded, experiment("java Users", null, Limits.NONE)))
                .containsExactly(
                        "users.collector default -> -XX:+UseZGC", "users.heap default -> -Xmx384m");
        assertThat(
                        texts(
                                recorded.jvm("users", "11.0.29"),
                                experiment("java Users", null, Limits.NONE)))
                .as("where ZGC is experimental")
                .containsExactly("users.heap default -> -Xmx384m");
    }

    @Test
    void a_command_without_java_has_no_jvm_remedies() {
        assertThat(texts(collecting(), experiment("bin/users", null, Limits.NONE))).isEmpty();
    }

    private static Recorded pinned() {
        return Recorded.healthy()
                .level(JvmFigure.VIRTUAL_THREADS.of("users"), End.SERVER, 1)
                .grows(JvmFigure.CARRIER_LOOKS.of("users"), End.SERVER, 10)
                .grows(JvmFigure.CARRIERS.of("users"), End.SERVER, 40)
                .grows(JvmFigure.CARRIERS_HELD.of("users"), End.SERVER, 40)
                .responseMillis(200, 3_200);
    }

    @Test
    void pinned_carriers_get_a_newer_java_and_then_more_carriers() {
        assertThat(texts(pinned(), experiment("{jvm}/bin/java Users", "21", Limits.NONE)))
                .containsExactly(
                        "users.jvm 21 -> 25",
                        "users.carriers default -> -Djdk.virtualThreadScheduler.parallelism=128");
    }

    @Test
    void a_new_java_gets_only_more_carriers() {
        assertThat(texts(pinned(), experiment("{jvm}/bin/java Users", "25", Limits.NONE)))
                .containsExactly(
                        "users.carriers default -> -Djdk.virtualThreadScheduler.parallelism=128");
    }
}
