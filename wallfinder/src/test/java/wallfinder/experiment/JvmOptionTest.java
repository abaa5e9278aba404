package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.JvmOption.Kind;

class JvmOptionTest {
    private static ServiceSpec service(String command, Map<String, String> environment) {
        return new ServiceSpec(
                "web",
                command,
                "21",
                environment,
                null,
                null,
                null,
                Limits.NONE,
                new Readiness.Log("up"),
                ServiceSpec.READY_WITHIN_DEFAULT,
                Map.of());
    }

    private static String turned(String command, Kind kind, String value) {
        return JvmOption.with(service(command, Map.of()), kind, value).command();
    }

    @Test
    void an_option_replaces_all_of_its_kind() {
        assertThat(
                        turned(
                                "{jvm}/bin/java -Xmx64m -XX:MaxRAMPercentage=30 -jar web.jar 8080",
                                Kind.HEAP,
                                "-Xmx256m"))
                .isEqualTo("{jvm}/bin/java -Xmx256m -jar web.jar 8080");
        assertThat(turned("java -XX:+UseG1GC Web", Kind.COLLECTOR, "-XX:+UseZGC"))
                .isEqualTo("java -XX:+UseZGC Web");
        assertThat(turned("java -XX:+UseConcMarkSweepGC Web", Kind.COLLECTOR, "-XX:+UseSerialGC"))
                .isEqualTo("java -XX:+UseSerialGC Web");
        assertThat(turned("/opt/jdk/bin/java Web", Kind.COLLECTOR, "-XX:+UseZGC"))
                .isEqualTo("/opt/jdk/bin/java -XX:+UseZGC Web");
    }

    @Test
    void a_jvm_to_be_profiled_keeps_its_own_options() {
        String more = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints";
        ServiceSpec own =
                service(
                        "java Web",
                        Map.of("JAVA_TOOL_OPTIONS", "-ea", "JDK_JAVA_OPTIONS", "-Xmx1g"));
        assertThat(JvmOption.namingAllCode(own).env())
                .containsEntry("JAVA_TOOL_OPTIONS", "-ea " + more)
                .containsEntry("JDK_JAVA_OPTIONS", "-Xmx1g");
        assertThat(JvmOption.namingAllCode(service("java Web", Map.of())).env())
                .hasEntrySatisfying(
                        "JAVA_TOOL_OPTIONS", options -> assertThat(options).endsWith(more));
        assertThat(JvmOption.namingAllCode(own).command()).isEqualTo("java Web");
    }

    @Test
    void an_option_in_a_variable_is_removed() {
        ServiceSpec turned =
                JvmOption.with(
                        service(
                                "{jvm}/bin/java Web",
                                Map.of("JDK_JAVA_OPTIONS", "-ea -Xmx1g -Dx=y", "OTHER", "-Xmx1g")),
                        Kind.HEAP,
                        "-Xmx2g");
        assertThat(turned.env())
                .isEqualTo(Map.of("JDK_JAVA_OPTIONS", "-ea -Dx=y", "OTHER", "-Xmx1g"));
        assertThat(turned.command()).isEqualTo("{jvm}/bin/java -Xmx2g Web");
    }

    @Test
    void the_last_option_is_the_value() {
        assertThat(JvmOption.value(service("java -Xmx1g -Xmx2g Web", Map.of()), Kind.HEAP))
                .isEqualTo("-Xmx2g");
        assertThat(JvmOption.value(service("java Web", Map.of()), Kind.HEAP)).isNull();
    }

    @Test
    void the_jvm_itself_can_be_changed() {
        ServiceSpec turned = JvmOption.with(service("x", Map.of()), Kind.VERSION, "25");
        assertThat(turned.jvm()).isEqualTo("25");
        assertThat(JvmOption.value(turned, Kind.VERSION)).isEqualTo("25");
    }

    @Test
    void the_options_of_a_script_cannot_be_changed() {
        assertThat(JvmOption.turnable(service("bin/web-java-start 8080", Map.of()))).isFalse();
        assertThat(JvmOption.turnable(service("node web.js", Map.of()))).isFalse();
        assertThat(JvmOption.turnable(service("'/opt/a/bin/java' -jar web.jar", Map.of())))
                .isFalse();
        assertThat(JvmOption.turnable(service("env A=b java -jar web.jar", Map.of()))).isTrue();
    }

    private static Experiment trying(String command) {
        return ExperimentFile.parse(
                """
                services:
                  users: { command: "%s", ready: "tcp://{server}:80" }
                load: { url: "http://{server}:80/" }
                try: [jvm]
                """
                        .formatted(command),
                "users.yaml",
                "users");
    }

    @Test
    void options_are_tried_only_if_a_command_contains_java() {
        assertThat(trying("{jvm}/bin/java Users").tries()).containsExactly(Experiment.TRY_JVM);
        assertThatThrownBy(() -> trying("nginx"))
                .hasMessageContaining("no service has a command with java");
    }
}
