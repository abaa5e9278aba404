package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord;

/// Virtual threads that wait on two carriers, and do or do not leave them.
@Tag("sandbox")
class PlantedPinningTest extends PlantedTest {
    private static final String WALL = "carrier-pinning";
    private static final String POOL = "server-concurrency";
    private static final Path JVM_21 = Path.of(System.getProperty("project.root"), "jvms", "21");

    private static String java21() {
        assumeTrue(
                Files.isExecutable(JVM_21.resolve("bin/java")),
                "there is no Java 21: bin/get-jvm 21 gets one");
        return JVM_21.toAbsolutePath().normalize().toString();
    }

    /// The Java that is got for the tests has no compiler.
    private Path compiled(String program) {
        Path classes = folder.resolve("classes");
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        int status =
                javac.run(
                        System.out,
                        System.err,
                        "--release",
                        "21",
                        "-d",
                        classes.toString(),
                        PlantedRun.resource(program).toString());
        assertThat(status).isZero();
        return classes;
    }

    /// Each request waits for 50 ms, and 24 ask.
    private String waiting(String jvm, String how) {
        return """
        services:
          planted:
            command: >-
              {jvm}/bin/java -Djdk.virtualThreadScheduler.parallelism=2
              -XX:TieredStopAtLevel=1 -cp %s VirtualServer 8081 50 %s
            jvm: %s
            ready: http://{server}:8081/
        load:
          url: http://{server}:8081/
          connections: 24
          warmup: 1s
          duration: 4s
        repeat: 2
        """
                .formatted(compiled("VirtualServer.java"), how, jvm);
    }

    private static double growth(RunRecord.Trial trial, JvmFigure figure) {
        Timeline timeline = trial.observation().timeline();
        return timeline.growth(figure.of("planted"), End.SERVER);
    }

    @Test
    void virtual_threads_that_keep_their_carriers_are_named_and_no_pool_is() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, waiting(java21(), "synchronized"), 24);
        PlantedRun.assertNamed(trial, WALL, End.SERVER);
        PlantedRun.assertEvidence(trial, "jvm[].carriersHeld");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    void a_limit_that_virtual_threads_wait_for_without_a_carrier_is_a_pool() throws Exception {
        RunRecord.Trial trial = run.planted(POOL, waiting(java21(), "2"), 24);
        PlantedRun.assertNamed(trial, POOL, End.SERVER);
        assertThat(growth(trial, JvmFigure.CARRIER_LOOKS))
                .as(PlantedRun.describe(trial))
                .isPositive();
    }

    @Test
    void the_same_program_on_a_java_that_does_not_pin_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(waiting("25", "synchronized"), 24);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNotNamed(trial, POOL);
        assertThat(growth(trial, JvmFigure.CARRIER_LOOKS))
                .as(PlantedRun.describe(trial))
                .isPositive();
    }

    /// One request at a time holds half of the carriers, and harms nobody.
    @Test
    void half_of_the_carriers_held_without_harm_are_not_named() throws Exception {
        RunRecord.Trial trial = run.control(waiting(java21(), "synchronized"), 1);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(growth(trial, JvmFigure.CARRIER_LOOKS))
                .as(PlantedRun.describe(trial))
                .isPositive();
        assertThat(growth(trial, JvmFigure.CARRIERS_HELD))
                .as(PlantedRun.describe(trial))
                .isPositive();
        PlantedRun.assertNotNamed(trial, POOL);
    }

    @Test
    @Tag("long")
    void find_takes_a_newer_java_and_proves_it() throws Exception {
        String old = java21();
        RunRecord.Rung rung = run.firstRung(waiting(old, "synchronized"), WALL, End.SERVER);
        assertThat(rung.remedy().remedy().changes())
                .containsExactly(
                        new Change(
                                new Setting.OfJvm("planted", JvmOption.Kind.VERSION), old, "25"));
        assertThat(rung.remedy().kept()).isTrue();
    }
}
