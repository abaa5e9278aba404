package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.record.RunRecord;

/// JVMs whose heaps have little free space, or none.
@Tag("sandbox")
class PlantedCollectorTest extends PlantedTest {
    private static final String GC = "gc";
    private static final String HEAP = "heap";

    private static String garbage(String options) {
        return garbage(options, 16);
    }

    private static String garbage(String options, int keptMegabytes) {
        return """
        services:
          planted:
            command: >-
              {jvm}/bin/java %s -XX:TieredStopAtLevel=1 $GarbageServer.java 8081 %d 300 256
            jvm: 25
            ready: http://{server}:8081/
        load: { url: "http://{server}:8081/", connections: 16, warmup: 2s, duration: 2s }
        repeat: 2
        """
                .formatted(options, keptMegabytes);
    }

    private static double collectorShare(RunRecord.Trial trial) {
        return PlantedRun.growth(trial, JvmFigure.COLLECTOR_CPU.of("planted"))
                / PlantedRun.growth(trial, ProcessFigure.CPU.of("planted"));
    }

    private static void assertGc(RunRecord.Trial trial) {
        PlantedRun.assertVerdict(trial, Verdict.NAMED);
        PlantedRun.assertWall(trial, GC, End.SERVER, "jvm[].collectorCpu");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
        PlantedRun.assertNotNamed(trial, HEAP);
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    @Test
    @Tag("long")
    void a_heap_with_little_free_space_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(GC, garbage("-XX:+UseSerialGC -Xmx36m"), 16);
        assertGc(trial);
        PlantedRun.assertEvidence(trial, "jvm[].pauseSeconds");
    }

    @Test
    @Tag("long")
    void a_jvm_without_counters_is_judged_by_its_threads() throws Exception {
        RunRecord.Trial trial =
                run.planted(GC, garbage("-XX:+UseParallelGC -Xmx36m -XX:-UsePerfData"), 16);
        assertGc(trial);
    }

    private static String zgc(String heap) {
        return garbage("-XX:+UseZGC -XX:ConcGCThreads=1 " + heap);
    }

    /// Threads wait for memory while the collector works; it stops nobody.
    @Test
    @Tag("long")
    void waits_for_memory_beside_the_collector_are_named() throws Exception {
        RunRecord.Trial trial = run.planted(GC, zgc("-Xmx52m"), 16);
        assertGc(trial);
        PlantedRun.assertEvidence(trial, "jvm[].allocationStalls");
        LoadOutcome load = trial.observation().load();
        double answerSeconds = load.answered() * load.responseNanos().getMean() / 1e9;
        assertThat(PlantedRun.growth(trial, JvmFigure.STALLED_THREAD_SECONDS.of("planted")))
                .as(PlantedRun.describe(trial))
                .isGreaterThan(answerSeconds / 3);
    }

    @Test
    @Tag("long")
    void the_same_collector_with_much_free_space_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(zgc("-Xmx4g"), 16);
        PlantedRun.assertNotNamed(trial, GC);
        assertThat(PlantedRun.growth(trial, JvmFigure.ALLOCATION_STALLS.of("planted"))).isZero();
    }

    /// The collector runs very often, but finds few live objects each time.
    @Test
    @Tag("long")
    void a_fast_collector_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(garbage("-XX:+UseSerialGC -Xmx64m -Xmn12m", 1), 4);
        PlantedRun.assertNotNamed(trial, GC);
        PlantedRun.assertNotNamed(trial, HEAP);
        assertThat(collectorShare(trial)).isBetween(0.12, 0.3);
    }

    @Test
    @Tag("long")
    void find_enlarges_the_heap_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(fivePairs(garbage("-XX:+UseSerialGC -Xmx36m")), GC, End.SERVER);
        assertThat(rung.remedy().remedy().changes().getFirst())
                .satisfies(change -> {
                    assertThat(change.setting())
                            .isEqualTo(new Setting.OfJvm("planted", JvmOption.Kind.HEAP));
                    assertThat(change.from()).isEqualTo("-Xmx36m");
                });
        assertThat(rung.remedy().kept()).isTrue();
    }

    /// Without free heap, the rates of two trials differ too much for a verdict from two pairs.
    private static String fivePairs(String experiment) {
        return experiment.replace("repeat: 2", "repeat: 5");
    }

    /// Each of 48 requests holds this memory for 100 ms.
    private static String holding(String options, int kilobytes) {
        return holding(options, Integer.toString(kilobytes));
    }

    /// @param held the arguments after the time
    private static String holding(String options, String held) {
        return """
        services:
          planted:
            command: >-
              {jvm}/bin/java %s -XX:+UseSerialGC -XX:TieredStopAtLevel=1
              $PoolServer.java 8082 1024 64 100 %s
            jvm: 25
            ready: tcp://{server}:8082
        load: { url: "http://{server}:8082/", connections: 48, warmup: 0s, duration: 2s }
        repeat: 2
        """
                .formatted(options, held);
    }

    private static void assertHeap(RunRecord.Trial trial) {
        PlantedRun.assertVerdict(trial, Verdict.NAMED);
        PlantedRun.assertWall(trial, HEAP, End.SERVER, "log[].heapErrors");
        // Perhaps the service answered no request.
        assertThat(trial.diagnosis().ruledOut())
                .as(PlantedRun.describe(trial))
                .extracting(out -> out.wall().id().word())
                .contains(GC, "memory-limit");
    }

    @Test
    void a_heap_too_small_for_the_requests_is_named() throws Exception {
        assertHeap(run.planted(HEAP, holding("-Xmx64m", 4096), 48));
    }

    /// The service answers 500 and logs nothing.
    @Test
    @Tag("long")
    void a_heap_too_small_for_requests_is_named_without_a_word_in_the_log() throws Exception {
        RunRecord.Trial trial = run.planted(HEAP, holding("-Xmx64m", "4096 quiet"), 48);
        PlantedRun.assertVerdict(trial, Verdict.NAMED);
        PlantedRun.assertWall(trial, HEAP, End.SERVER, "jvm[].fullCollections");
        PlantedRun.assertEvidence(trial, "jvm[].oldUsed");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(PlantedRun.growth(trial, LogFigure.HEAP_ERRORS.of("planted"))).isZero();
        PlantedRun.assertNotNamed(trial, GC);
    }

    /// Long-lived objects fill 90 % of the old generation, and collections of the young one
    /// suffice.
    @Test
    @Tag("long")
    void an_old_generation_that_is_full_and_seldom_collected_is_not_named() throws Exception {
        RunRecord.Trial trial =
                run.control(garbage("-XX:+UseSerialGC -Xms96m -Xmx96m -Xmn32m", 57), 4);
        PlantedRun.assertNotNamed(trial, HEAP);
        double full = PlantedRun.largest(trial, JvmFigure.OLD_USED.of("planted"));
        assertThat(full)
                .as(PlantedRun.describe(trial))
                .isGreaterThan(0.85 * PlantedRun.largest(trial, JvmFigure.OLD_MAX.of("planted")));
    }

    @Test
    @Tag("long")
    void a_jvm_that_ended_without_free_heap_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(HEAP, holding("-Xmx64m -XX:+ExitOnOutOfMemoryError", 4096), 48);
        assertThat(trial.diagnosis().wallId()).as(PlantedRun.describe(trial)).contains(HEAP);
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_heap_in_use_by_more_than_half_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(holding("-Xmx180m", 2048), 48);
        PlantedRun.assertNotNamed(trial, HEAP);
        assertThat(trial.observation().load().errors()).isEmpty();
    }

    @Test
    @Tag("long")
    void find_enlarges_the_heap_for_the_requests_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(fivePairs(holding("-Xmx64m", 4096)), HEAP, End.SERVER);
        assertThat(rung.remedy().remedy().changes())
                .extracting(Change::setting)
                .containsExactly(new Setting.OfJvm("planted", JvmOption.Kind.HEAP));
        assertThat(rung.remedy().kept()).isTrue();
    }
}
