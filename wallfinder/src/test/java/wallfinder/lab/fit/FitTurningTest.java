package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.ServiceSpec;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.FitRecord;
import wallfinder.sampling.JvmCensus;

/// Turning the options of simulated services whose memory follows a rule.
class FitTurningTest {
    private static final long MB = 1 << 20;
    private static final String SHOP =
            """
            name: shop
            services:
              shop:
                command: "{jvm}/bin/java -jar {home}/shop.jar --pool={pool} --store={store}"
                jvm: 25
                memory: 512m
                env: { JAVA_TOOL_OPTIONS: "-Dshop=1" }
                ready: http://{server}:8080/
                knobs:
                  pool: { value: 16, moves: server-concurrency }
                  store: { value: large, moves: server-concurrency, to: [small] }
            load: { url: "http://{server}:8080/" }
            fit: { step: 10m, turn: shop }
            objective: errors < 1%
            """;

    @TempDir private Path folder;
    private final List<String> tried = new ArrayList<>();
    private final List<String> said = new ArrayList<>();

    private static FitTrial trial(
            Experiment experiment, double megabytes, FitRecord.KnockOut.@Nullable Kind knockOut) {
        Counter counter = CgroupFigure.MEMORY_ANONYMOUS.of("shop").at(End.SERVER, "test");
        Series series = new Series(counter, new double[] {megabytes * MB, megabytes * MB});
        long[] nanos = {0, 1};
        Long limit = experiment.service("shop").limits().memoryBytes();
        return new FitTrial(
                "trial",
                limit == null ? 0 : limit,
                false,
                null,
                new FitLife("shop", new Timeline(nanos, List.of(series))),
                knockOut == null ? null : new FitRecord.KnockOut(knockOut, List.of()),
                new JvmCensus(4000, 12.0 * MB, 20.0 * MB, 12.0 * MB, Double.NaN, 128.0 * MB),
                null);
    }

    /// @param rule the memory that the service needs with these options; negative if the trial
    ///   fails
    private FitTurning turned(Function<String, Double> rule) throws IOException {
        return turned(SHOP, rule);
    }

    private FitTurning turned(String shop, Function<String, Double> rule) throws IOException {
        Path file = Files.writeString(folder.resolve("shop.yaml"), shop);
        Experiment experiment =
                ExperimentFile.readFit(file, jvm -> Optional.empty())
                        .candidates()
                        .getFirst()
                        .experiment();
        FitCandidate from = new FitCandidate("shop", experiment, Set.of());
        FitTrial calibration = trial(experiment, 200, null);
        from.calibration = calibration;
        from.warm =
                new FitSearch(
                        10 * MB,
                        new FitPrediction(10 * MB, Double.NaN),
                        List.of(calibration),
                        limit -> trial(experiment, 200, null));
        FitTurning turning =
                new FitTurning(
                        "shop",
                        from,
                        Path.of("/run/shop.jsa"),
                        Map.of("JAVA_TOOL_OPTIONS", "-Dinherited=1"),
                        (with, at, inquiry) -> {
                            ServiceSpec spec = with.service("shop");
                            String all =
                                    spec.env().get("JAVA_TOOL_OPTIONS")
                                            + " pool="
                                            + spec.knobs().get("pool").value()
                                            + " store="
                                            + spec.knobs().get("store").value();
                            tried.add(all);
                            double needs = rule.apply(all);
                            return trial(
                                    with,
                                    Math.abs(needs),
                                    needs < 0 ? FitRecord.KnockOut.Kind.GC : null);
                        },
                        said::add);
        turning.run();
        return turning;
    }

    @Test
    void an_option_that_saves_memory_is_kept_and_others_are_dropped_after_one_trial()
            throws IOException {
        FitTurning turning =
                turned(all -> {
                    double needs = 200;
                    needs -= all.contains("TieredStopAtLevel") ? 20 : 0;
                    needs -= all.contains("ArchiveRelocationMode=0") ? 10 : 0;
                    needs -= all.contains("pool=1 ") ? 5 : 0;
                    Matcher heap = Pattern.compile("-Xmx(\\d+)m").matcher(all);
                    if (heap.find()) {
                        needs -= 100 - Integer.parseInt(heap.group(1));
                    }
                    return all.contains("-Xmx24m") ? -needs : needs;
                });

        FitRecord.Turning result = turning.result("shop, turned");
        assertThat(result.candidate()).isEqualTo("shop, turned");
        assertThat(result.kept())
                .containsExactly(
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0",
                        "-Xmx30m",
                        "pool=1");
        assertThat(result.turns())
                .extracting(FitRecord.Turn::dropped)
                .containsExactly(
                        null, // C1
                        "no less than before", // the collector
                        null, // relocation
                        "none could be made", // no archive, since there is no JVM
                        "no less than before", // code
                        null,
                        null,
                        "gc", // the third heap
                        null, // pool
                        "no less than before"); // store
        assertThat(result.turns().getFirst())
                .satisfies(c1 -> {
                    assertThat(c1.beforeBytes()).isEqualTo(200.0 * MB);
                    assertThat(c1.bytes()).isEqualTo(180.0 * MB);
                });
        ServiceSpec best = turning.best().service("shop");
        assertThat(best.env().get("JAVA_TOOL_OPTIONS"))
                .startsWith("-Dshop=1 -XX:TieredStopAtLevel=1")
                .endsWith("-Xmx30m")
                .doesNotContain("-Xmx40m", "RecordDynamicDumpInfo");
        assertThat(best.knobs().get("pool").value()).isEqualTo("1");
        assertThat(best.limits().memoryBytes()).isEqualTo(512 * MB);
        assertThat(tried.stream().filter(all -> all.contains("UseSerialGC"))).hasSize(1);
        assertThat(said).anyMatch(line -> line.contains("kept, 200 MB -> 180 MB"));
    }

    @Test
    void options_that_the_service_inherits_stay() throws IOException {
        String inheriting = SHOP.replace("    env: { JAVA_TOOL_OPTIONS: \"-Dshop=1\" }\n", "");
        FitTurning turning =
                turned(inheriting, all -> all.contains("TieredStopAtLevel") ? 190.0 : 200.0);
        assertThat(tried.getFirst()).startsWith("-Dinherited=1 -XX:TieredStopAtLevel=1");
        assertThat(turning.best().service("shop").env().get("JAVA_TOOL_OPTIONS"))
                .isEqualTo("-Dinherited=1 -XX:TieredStopAtLevel=1");
    }

    @Test
    void smaller_heaps_are_tried_after_one_that_is_larger_than_the_jvms_own() throws IOException {
        FitTurning turning = turned(all -> all.contains("-Xmx30m") ? 190.0 : 200.0);
        assertThat(turning.result("shop, turned").kept()).containsExactly("-Xmx30m");
        assertThat(tried).anyMatch(all -> all.contains("-Xmx40m"));
    }

    @Test
    void an_option_must_save_memory_in_three_trials() throws IOException {
        int[] trials = {0};
        FitTurning turning = turned(all -> trials[0]++ % 3 == 2 ? 200.0 : 190.0);
        assertThat(turning.gained()).isFalse();
        assertThat(turning.result("shop, turned").candidate()).isNull();
    }
}
