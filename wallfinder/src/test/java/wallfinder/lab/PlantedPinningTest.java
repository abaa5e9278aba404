package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.Tree;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.record.RunRecord;

/// Virtual threads that wait on two carriers, with and without releasing them.
@Tag("sandbox")
class PlantedPinningTest extends PlantedTest {
    private static final String WALL = "carrier-pinning";
    private static final String POOL = "server-concurrency";
    private static final Path JVM_21 = Tree.ROOT.resolve("jvms/21");

    private static String java21() {
        assumeTrue(
                Files.isExecutable(JVM_21.resolve("bin/java")),
                "there is no Java 21; bin/get-jvm 21 installs it");
        return JVM_21.toString();
    }

    /// Each of 24 clients waits 50 ms for an answer.
    private String waiting(String jvm, String how) {
        // The JVM that runs it has no compiler.
        Path classes =
                PlantedRun.compiled(
                        "VirtualServer.java", folder.resolve("classes"), "--release", "21");
        return """
        services:
          planted:
            command: >-
              {jvm}/bin/java -Djdk.virtualThreadScheduler.parallelism=2
              -XX:TieredStopAtLevel=1 -cp %s VirtualServer 8081 50 %s
            jvm: %s
            ready: http://{server}:8081/
        load: { url: "http://{server}:8081/", connections: 24, warmup: 1s, duration: 4s }
        repeat: 2
        """
                .formatted(classes, how, jvm);
    }

    private static void assertGrew(RunRecord.Trial trial, JvmFigure figure) {
        assertThat(PlantedRun.growth(trial, figure.of("planted")))
                .as(PlantedRun.describe(trial))
                .isPositive();
    }

    @Test
    void virtual_threads_that_pin_their_carriers_are_named_instead_of_a_pool() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, waiting(java21(), "synchronized"), 24);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "jvm[].carriersHeld");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    @Tag("long")
    void virtual_threads_that_wait_unmounted_for_a_limit_are_a_queue_that_nobody_sees()
            throws Exception {
        RunRecord.Trial trial = run.control(waiting(java21(), "2"), 24);
        PlantedRun.assertVerdict(trial, Verdict.UNNAMED);
        assertGrew(trial, JvmFigure.CARRIER_LOOKS);
    }

    @Test
    @Tag("long")
    void the_same_program_on_a_java_that_does_not_pin_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(waiting("25", "synchronized"), 24);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNotNamed(trial, POOL);
        assertGrew(trial, JvmFigure.CARRIER_LOOKS);
    }

    /// One request at a time holds half of the carriers and does no harm.
    @Test
    @Tag("long")
    void half_of_the_carriers_pinned_without_harm_are_not_named() throws Exception {
        RunRecord.Trial trial = run.control(waiting(java21(), "synchronized"), 1);
        PlantedRun.assertNotNamed(trial, WALL);
        assertGrew(trial, JvmFigure.CARRIER_LOOKS);
        assertGrew(trial, JvmFigure.CARRIERS_HELD);
        PlantedRun.assertNotNamed(trial, POOL);
    }

    @Test
    @Tag("long")
    void find_takes_a_newer_java_and_proves_the_gain() throws Exception {
        String old = java21();
        RunRecord.Rung rung = run.firstRung(waiting(old, "synchronized"), WALL, End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfJvm("planted", JvmOption.Kind.VERSION), old, "25");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
