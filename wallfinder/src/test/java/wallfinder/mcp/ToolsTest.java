package wallfinder.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.UsageException;

class ToolsTest {
    private static final String URL = "http://127.0.0.1:8080/";

    private static final Permissions FEW =
            new Permissions(
                    Set.of(), false, 320, 500, Duration.ofSeconds(20), Duration.ofMinutes(5));

    private static Tool.Plan plan(Permissions allowed, String name, Map<String, Object> given) {
        return new Tools(allowed)
                .all().stream()
                        .filter(tool -> tool.name().equals(name))
                        .findAny()
                        .orElseThrow()
                        .plan(given);
    }

    private static AbstractThrowableAssert<?, ?> refused(String name, Map<String, Object> given) {
        return assertThatThrownBy(() -> plan(FEW, name, given)).isInstanceOf(UsageException.class);
    }

    @Test
    void a_load_becomes_a_command_line_that_ends_with_its_url() {
        Tool.Plan plan =
                plan(
                        FEW,
                        "load",
                        Map.of("url", URL, "rate", 500, "headers", List.of("-x: --json=y")));
        assertThat(plan.words())
                .containsExactly(
                        "load",
                        "--no-live",
                        "--rate=500",
                        "--connections=10",
                        "--duration=10000ms",
                        "--header=-x: --json=y",
                        URL);
        assertThat(plan.measures()).isTrue();
    }

    @Test
    void a_load_is_bounded() {
        refused("load", Map.of("url", URL, "connections", 321)).hasMessageContaining("1 to 320");
        refused("load", Map.of("url", URL, "rate", 501)).hasMessageContaining("1 to 500");
        refused("load", Map.of("url", URL, "rate", 1.5)).hasMessageContaining("whole number");
        refused("load", Map.of("url", URL, "duration", "21s")).hasMessageContaining("20 s");
        refused("load", Map.of("url", URL, "duration", "0s")).hasMessageContaining("20 s");
    }

    /// The climb of a find goes on to 16 times its connections.
    @Test
    void a_climb_ends_at_the_connections_that_are_allowed() {
        assertThat(plan(FEW, "find", Map.of("url", URL, "connections", 20)).words())
                .contains("--connections=20");
        refused("find", Map.of("url", URL, "connections", 21)).hasMessageContaining("1 to 20");
        refused("find", Map.of("url", "http://10.0.0.1/")).hasMessageContaining("private");
    }

    @Test
    void a_climb_without_a_number_of_connections_is_bounded_too() {
        Permissions fewer =
                new Permissions(
                        Set.of(), false, 100, 500, Duration.ofSeconds(20), Duration.ofMinutes(5));
        assertThat(plan(fewer, "find", Map.of("url", URL)).words()).contains("--connections=6");
        assertThat(plan(fewer, "load", Map.of("url", URL)).words()).contains("--connections=10");
    }

    @Test
    void an_experiment_needs_trust_and_has_its_own_load() {
        refused("find", Map.of("experiment", "x.yaml")).hasMessageContaining("starts programs");
        Permissions trusting =
                new Permissions(
                        Set.of(), true, 320, 500, Duration.ofSeconds(20), Duration.ofMinutes(5));
        assertThat(plan(trusting, "find", Map.of("experiment", "x.yaml")).words())
                .containsExactly("find", "--no-live", "x.yaml");
        for (Map<String, Object> wrong :
                List.<Map<String, Object>>of(
                        Map.of("experiment", "-x.yaml"),
                        Map.of("experiment", "x.txt"),
                        Map.of("experiment", "x.yaml", "url", URL),
                        Map.of("experiment", "x.yaml", "headers", List.of("a: b")))) {
            assertThatThrownBy(() -> plan(trusting, "find", wrong))
                    .isInstanceOf(UsageException.class);
        }
    }

    @Test
    void a_wrong_argument_is_refused_with_the_nearest_name() {
        assertThatThrownBy(() -> plan(FEW, "load", Map.of("url", URL, "conections", 5)))
                .isInstanceOfSatisfying(
                        UsageException.class,
                        problem -> assertThat(problem.todo()).contains("'connections'"));
        refused("load", Map.of()).hasMessageContaining("url is missing");
        refused("load", Map.of("url", 5)).hasMessageContaining("no text");
        refused("load", Map.of("url", URL, "keepalive", "no")).hasMessageContaining("true nor");
        refused("load", Map.of("url", URL, "headers", "a: b")).hasMessageContaining("no list");
        refused("load", Map.of("url", URL + "\0")).hasMessageContaining("no text");
        refused("watch", Map.of("port", 80, "pid", 1)).hasMessageContaining("exactly one");
        refused("watch", Map.of()).hasMessageContaining("exactly one");
        refused("explain", Map.of("wall", "--help")).hasMessageContaining("hyphen");
        refused("compare", Map.of("a", "--html=x", "b", "y")).hasMessageContaining("hyphen");
    }
}
