package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.ServiceSpec;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;

class JvmCatalogueTest {
    private static final String G1 = "users.collector default -> -XX:+UseG1GC";

    private static final Set<String> ALL =
            Set.of(
                    "UseParallelGC",
                    "UseSerialGC",
                    "UseG1GC",
                    "UseCompactObjectHeaders",
                    "TieredCompilation",
                    "ReservedCodeCacheSize",
                    "UseTransparentHugePages");

    private static Experiment experiment(String command, Map<String, String> environment) {
        return experiment(command, environment, Limits.NONE);
    }

    private static Experiment experiment(
            String command, Map<String, String> environment, Limits limits) {
        return RemedyTest.experiment(
                new ServiceSpec(
                        "users",
                        command,
                        null,
                        environment,
                        null,
                        null,
                        null,
                        limits,
                        new Readiness.Log("up"),
                        ServiceSpec.READY_WITHIN_DEFAULT,
                        Map.of()));
    }

    private static List<String> tried(String command, int cpus, Set<String> flags, boolean huge) {
        return tried(experiment(command, Map.of()), cpus, flags, huge);
    }

    private static List<String> tried(
            Experiment experiment, int cpus, Set<String> flags, boolean huge) {
        return tried(Recorded.healthy().sharing(cpus, 0.1), experiment, flags, huge);
    }

    private static List<String> tried(
            Recorded recorded, Experiment experiment, Set<String> flags, boolean huge) {
        return JvmCatalogue.remedies(experiment, recorded.observation(), "users", flags, huge)
                .stream()
                .map(Remedy::text)
                .toList();
    }

    @Test
    void one_cpu_has_the_serial_collector_by_itself_and_may_get_another() {
        assertThat(tried("{jvm}/bin/java Users", 1, ALL, true))
                .containsExactly(
                        "users.collector default -> -XX:+UseG1GC",
                        "users.objectHeaders default -> -XX:+UseCompactObjectHeaders",
                        "users.tiers default -> -XX:-TieredCompilation",
                        "users.hugePages default -> -XX:+UseTransparentHugePages");
    }

    @Test
    void several_cpus_have_g1_by_themselves() {
        assertThat(tried("{jvm}/bin/java Users", 2, ALL, false))
                .contains("users.collector default -> -XX:+UseParallelGC")
                .noneMatch(text -> text.contains("UseG1GC") || text.contains("UseSerialGC"));
    }

    private static Limits megabytes(long memory) {
        return new Limits(null, null, memory << 20, null, null, null, null);
    }

    /// A JVM takes G1 only on a machine that it considers a server.
    @ParameterizedTest
    @CsvSource({"1791, true", "1792, false"})
    void little_memory_has_the_serial_collector_by_itself(long megabytes, boolean serial) {
        Experiment limited = experiment("java Users", Map.of(), megabytes(megabytes));
        assertThat(tried(limited, 2, ALL, false).contains(G1)).isEqualTo(serial);
        Recorded small = Recorded.healthy().cpus(2, 2).most(megabytes(megabytes));
        assertThat(tried(small, experiment("java Users", Map.of()), ALL, false).contains(G1))
                .isEqualTo(serial);
    }

    @Test
    void several_cpus_do_not_get_the_collector_that_uses_one() {
        assertThat(tried("java -XX:+UseZGC Users", 2, ALL, false))
                .contains(
                        "users.collector -XX:+UseZGC -> -XX:+UseParallelGC",
                        "users.collector -XX:+UseZGC -> -XX:+UseG1GC")
                .noneMatch(text -> text.contains("UseSerialGC"));
    }

    @Test
    void an_option_that_is_set_is_not_tried() {
        String command =
                "{jvm}/bin/java -XX:+UseG1GC -XX:+UseCompactObjectHeaders -XX:-TieredCompilation"
                        + " Users";
        assertThat(tried(command, 1, ALL, false))
                .containsExactly("users.collector -XX:+UseG1GC -> -XX:+UseSerialGC");
    }

    @Test
    void a_jvm_is_not_started_with_an_option_that_it_does_not_have() {
        assertThat(tried("{jvm}/bin/java Users", 1, Set.of("TieredCompilation"), true))
                .containsExactly("users.tiers default -> -XX:-TieredCompilation");
    }

    @Test
    void huge_pages_are_tried_only_where_the_kernel_gives_them_on_request() {
        assertThat(tried("{jvm}/bin/java Users", 1, ALL, false))
                .isNotEmpty()
                .noneMatch(text -> text.contains("HugePages"));
    }

    /// The options of run-java come in the environment.
    @Test
    void with_one_compiler_only_the_code_cache_is_small() {
        Experiment users =
                experiment(
                        "java Users",
                        Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m -XX:TieredStopAtLevel=1"));
        assertThat(tried(users, 1, ALL, false))
                .contains("users.codeCache default -> -XX:ReservedCodeCacheSize=240m")
                .noneMatch(text -> text.contains("tiers"));
        Experiment both = experiment("java Users", Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m"));
        assertThat(tried(both, 1, ALL, false))
                .contains("users.tiers default -> -XX:-TieredCompilation")
                .noneMatch(text -> text.contains("codeCache"));
    }

    @Test
    void of_several_services_on_a_jvm_the_one_that_used_the_most_cpu_is_turned() {
        Experiment several =
                RemedyTest.experiment(
                        JvmRemediesTest.service("index", "java Index"),
                        JvmRemediesTest.service("users", "java Users"),
                        JvmRemediesTest.service("mail", "java Mail"),
                        JvmRemediesTest.service("proxy", "nginx"));
        Recorded recorded = Recorded.healthy();
        recorded.grows(ProcessFigure.CPU.of("index"), End.SERVER, 2)
                .grows(ProcessFigure.CPU.of("users"), End.SERVER, 3)
                .level(ProcessFigure.CPU.of("mail"), End.SERVER, Double.NaN)
                .grows(ProcessFigure.CPU.of("proxy"), End.SERVER, 4);
        assertThat(JvmCatalogue.service(several, recorded.observation())).contains("users");
    }

    @Test
    void only_a_service_whose_command_contains_java_is_turned() {
        Observation observation = Recorded.healthy().observation();
        assertThat(JvmCatalogue.service(experiment("java Users", Map.of()), observation))
                .contains("users");
        assertThat(JvmCatalogue.service(experiment("nginx", Map.of()), observation)).isEmpty();
    }
}
