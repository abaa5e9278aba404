package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FitPlanTest {
    private static final String SHOP =
            """
            name: shop
            services:
              shop:
                command: "{jvm}/bin/java {candidate.options} -jar {home}/shop.jar --pool={pool}"
                jvm: 25
                memory: 512m
                ready: http://{server}:8080/
                knobs: { pool: { value: 4, moves: server-concurrency } }
            load: { url: "http://{server}:8080/" }
            fit:
              FIT
            objective: errors < 1%
            """;
    private static final String CANDIDATES =
            "candidates: [{ name: defaults, options: \"\" }, { name: small, options: \"-Xmx45m -Xss1m\" }]";

    @Test
    void each_candidate_is_an_experiment_and_the_defaults_are_ten_megabytes_and_no_cold_start() {
        FitPlan plan = plan(CANDIDATES);
        assertThat(plan.service()).isEqualTo("shop");
        assertThat(plan.stepBytes()).isEqualTo(10L << 20);
        assertThat(plan.searchesCold()).isFalse();
        assertThat(plan.repeat()).isEqualTo(5);
        assertThat(plan.turn()).isNull();
        assertThat(plan.candidates())
                .extracting(FitPlan.Candidate::name)
                .containsExactly("defaults", "small");
        assertThat(plan.candidates().get(1).experiment().service("shop").command())
                .contains("java -Xmx45m -Xss1m -jar");
    }

    @Test
    void a_candidate_may_set_knobs_limits_and_the_jvm() {
        FitPlan plan =
                plan(
                        """
                        step: 4m
                          cold: ["{home}/shop.jar"]
                          candidates:
                            - { name: old, options: "", jvm: 17, pool: 1, memory: 1g, cpus: 0.5 }
                        """);
        ServiceSpec shop = plan.candidates().getFirst().experiment().service("shop");
        assertThat(shop.jvm()).isEqualTo("17");
        assertThat(shop.limits().memoryBytes()).isEqualTo(1L << 30);
        assertThat(shop.limits().cpus()).isEqualTo(0.5);
        assertThat(shop.knobs().get("pool").value()).isEqualTo("1");
        assertThat(plan.candidates().getFirst().jvms()).containsExactly("17");
        assertThat(plan.cold()).containsExactly("{home}/shop.jar");
        assertThat(plan.searchesCold()).isTrue();
        assertThat(plan("turn: small\n  " + CANDIDATES).turn()).isEqualTo("small");
        assertThat(plan.stepBytes()).isEqualTo(4L << 20);
    }

    @Test
    void without_candidates_there_is_one_way_to_start_the_service() {
        String text = SHOP.replace("{candidate.options} ", "").replace("FIT", "step: 5m");
        FitPlan plan = ExperimentFile.parseFit(text, "shop.yaml", "shop", jvm -> Optional.empty());
        assertThat(plan.candidates()).extracting(FitPlan.Candidate::name).containsExactly("shop");
        assertThat(ExperimentFile.parse(text, "shop.yaml", "shop").services()).hasSize(1);
    }

    @Test
    void run_takes_the_candidates_as_a_factor() {
        Matrix matrix =
                ExperimentFile.parseMatrix(
                        SHOP.replace("FIT", CANDIDATES) + "matrix: { pool: [1, 2] }\n",
                        "shop.yaml",
                        "shop",
                        jvm -> Optional.of(Path.of("/opt/jdk")));
        assertThat(matrix.factors())
                .containsExactly(
                        new Matrix.Factor("candidate", List.of("defaults", "small")),
                        new Matrix.Factor("pool", List.of("1", "2")));
        assertThat(matrix.cells()).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "step: 100k | less than a megabyte",
                "step: 300m | no memory limit to begin with of two steps",
                "service: chop | there is no service 'chop'",
                "turn: smal | there is no candidate 'smal'",
                "cold: [/tmp/other.jar] | neither the command nor the environment of shop contains",
                "steps: 4m | there is no key 'steps'",
                "candidates: [] | it has no value",
                "candidates: [{ name: a }, { name: b }] | is not used",
            })
    void an_error_names_its_place(String fit, String why) {
        String both = fit.startsWith("candidates") ? fit : fit + "\n  " + CANDIDATES;
        UsageException e = failure(SHOP.replace("FIT", both));
        assertThat(e).hasMessageContaining("shop.yaml").hasMessageContaining(why);
    }

    @Test
    void fit_needs_an_objective_and_a_generous_limit_but_no_matrix() {
        String text = SHOP.replace("FIT", CANDIDATES);
        assertThat(failure(text.replace("objective: errors < 1%\n", "")))
                .hasMessageContaining("without an objective");
        assertThat(failure(text.replace("errors < 1%", "errors < 1%, wall != cpu")))
                .hasMessageContaining("fit cannot use the condition 'wall != cpu'");
        assertThat(failure(text.replace("errors < 1%", "capacity > 2k")))
                .hasMessageContaining("fit cannot use the condition 'capacity'");
        assertThat(failure(text.replace("    memory: 512m\n", "    memory: 512m\n    swap: 64m\n")))
                .hasMessageContaining("fit cannot use 'swap' of 'shop'");
        assertThat(failure(text.replace("    memory: 512m\n", "")))
                .hasMessageContaining("shop has no memory limit");
        assertThat(failure(text + "matrix: { pool: [1, 2] }\n"))
                .hasMessageContaining("a matrix is measured by");
        assertThat(failure(text.replace("fit:\n  " + CANDIDATES + "\n", "")))
                .hasMessageContaining("'fit' is missing");
        assertThat(
                        catchThrowableOfType(
                                UsageException.class,
                                () -> ExperimentFile.parse(text, "shop.yaml", "shop")))
                .hasMessageContaining("its candidates are many experiments");
    }

    private static UsageException failure(String text) {
        return catchThrowableOfType(
                UsageException.class,
                () -> ExperimentFile.parseFit(text, "shop.yaml", "shop", jvm -> Optional.empty()));
    }

    private static FitPlan plan(String fit) {
        return ExperimentFile.parseFit(
                SHOP.replace("FIT", fit), "shop.yaml", "shop", jvm -> Optional.empty());
    }
}
