package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;

class JvmRemediesTest {
    private static final long MB = 1 << 20;

    private static Limits memory(@Nullable Long megabytes) {
        return new Limits(
                null, null, megabytes == null ? null : megabytes * MB, null, null, null, null);
    }

    private static Experiment experiment(String command, @Nullable String jvm, Limits limits) {
        return RemedyTest.experiment(service("users", command, jvm, limits, Map.of()));
    }

    private static ServiceSpec service(
            String name,
            String command,
            @Nullable String jvm,
            Limits limits,
            Map<String, Knob> knobs) {
        return new ServiceSpec(
                name,
                command,
                jvm,
                Map.of(),
                null,
                null,
                null,
                limits,
                new Readiness.Log("up"),
                ServiceSpec.READY_WITHIN_DEFAULT,
                knobs);
    }

    static ServiceSpec service(String name, String command) {
        return service(name, command, null, Limits.NONE, Map.of());
    }

    static List<String> texts(Recorded recorded, ServiceSpec... services) {
        return texts(recorded, RemedyTest.experiment(services));
    }

    private static List<String> texts(Recorded recorded, Experiment experiment) {
        return remedies(recorded, experiment).stream().map(Remedy::text).toList();
    }

    private static List<Remedy> remedies(Recorded recorded, Experiment experiment) {
        Judgement.Binds headline = recorded.diagnosed().headline();
        return headline.wall().remedies(headline, recorded.observation(), experiment);
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

    /// Seven tenths of a container are for the heap.
    @Test
    void a_heap_that_fits_its_container_leaves_it_alone() {
        assertThat(texts(collecting(), experiment("java Users", null, memory(549L))))
                .containsExactly("users.heap default -> -Xmx384m");
    }

    @Test
    void a_heap_of_unknown_size_is_not_raised() {
        Recorded recorded =
                collecting().level(JvmFigure.HEAP_MAX.of("users"), End.SERVER, Double.NaN);
        assertThat(texts(recorded, experiment("java Users", null, Limits.NONE))).isEmpty();
    }

    @Test
    void of_several_services_only_the_one_that_collects_is_changed() {
        Knob small = new Knob("8", WallId.GC, null, List.of());
        assertThat(
                        texts(
                                collecting(),
                                service(
                                        "index",
                                        "java -Xmx64m Index",
                                        null,
                                        Limits.NONE,
                                        Map.of("segments", small)),
                                service(
                                        "users",
                                        "java -Xmx96m Users",
                                        null,
                                        Limits.NONE,
                                        Map.of("megabytes", small))))
                .containsExactly("megabytes 8 -> 128", "users.heap -Xmx96m -> -Xmx384m");
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
    void on_several_cpus_all_of_them_collect() {
        Recorded recorded = collecting().cpuShare(1.96).cpus(2, 1);
        recorded.grows(JvmFigure.COLLECTOR_CPU.of("users"), End.SERVER, 0.98 * Recorded.SECONDS);
        Experiment users = experiment("java Users", null, Limits.NONE);
        assertThat(texts(recorded, users))
                .containsExactly(
                        "users.heap default -> -Xmx384m",
                        "users.collector default -> -XX:+UseParallelGC");
        assertThat(remedies(recorded, users))
                .extracting(Remedy::price)
                .containsExactly("more memory", "long pauses");
    }

    private static Recorded pausing() {
        Recorded recorded = GcTest.collecting(0.3, 0.1, 0.04, 180);
        return recorded.responseMillis(16, 39_000).alsoResponseMillis(180, 1_000);
    }

    /// ZGC is experimental before version 15.
    @ParameterizedTest
    @CsvSource({"14.0.2, false", "15, true", "21.0.5+11, true", "unknown, true"})
    void a_jvm_gets_zgc_if_its_version_has_it(String version, boolean has) {
        Recorded recorded = pausing().jvm("index", "8").jvm("users", version);
        Experiment users = experiment("java Users", null, Limits.NONE);
        assertThat(texts(recorded, users).contains("users.collector default -> -XX:+UseZGC"))
                .isEqualTo(has);
        assertThat(remedies(recorded, users))
                .extracting(Remedy::price)
                .isEqualTo(
                        has
                                ? List.of("extra CPU and memory", "more memory")
                                : List.of("more memory"));
    }

    @Test
    void for_the_tail_the_collector_is_changed_first() {
        Recorded recorded = pausing();
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

    private static final String MORE_CARRIERS =
            "users.carriers default -> -Djdk.virtualThreadScheduler.parallelism=128";

    @Test
    void a_new_java_gets_only_more_carriers() {
        assertThat(texts(pinned(), experiment("{jvm}/bin/java Users", "25", Limits.NONE)))
                .containsExactly(MORE_CARRIERS);
    }

    /// The running version counts, also if the experiment names a folder or another version.
    @ParameterizedTest
    @CsvSource({
        "21, 23.0.2, users.jvm 21 -> 25",
        "21, 24, ",
        "/opt/java, 21.0.5, users.jvm /opt/java -> 25",
        "/opt/java, , ",
        "23, , users.jvm 23 -> 25",
        "24, , "
    })
    void a_java_that_pins_gets_a_newer_one(
            String asked, @Nullable String running, @Nullable String remedy) {
        Recorded recorded = running == null ? pinned() : pinned().jvm("users", running);
        assertThat(texts(recorded, experiment("{jvm}/bin/java Users", asked, Limits.NONE)))
                .isEqualTo(
                        remedy == null ? List.of(MORE_CARRIERS) : List.of(remedy, MORE_CARRIERS));
    }

    @Test
    void a_command_that_chooses_its_own_java_gets_only_more_carriers() {
        assertThat(texts(pinned(), experiment("java Users", "21", Limits.NONE)))
                .containsExactly(MORE_CARRIERS);
    }
}
