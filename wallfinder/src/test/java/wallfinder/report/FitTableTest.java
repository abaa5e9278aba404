package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.record.FitRecord;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleRun;

/// The result of a fit on the terminal, on the page and in `run.json`.
class FitTableTest {
    private static final long MB = 1 << 20;
    private static final FitRecord.KnockOut KILLED =
            new FitRecord.KnockOut(
                    FitRecord.KnockOut.Kind.MEMORY_LIMIT,
                    List.of("the kernel killed one of its processes"));

    private static FitRecord.Limit limit(long megabytes, boolean verified) {
        return new FitRecord.Limit(
                megabytes * MB, 3, 3, verified ? 3 : 1, KILLED, verified, 2500, 40e6, 3.5);
    }

    private static FitRecord.Turn turn(String what, String set, double megabytes, String dropped) {
        return new FitRecord.Turn(
                what,
                set,
                262.0 * MB,
                megabytes * MB,
                2500,
                Double.isNaN(megabytes) ? Double.NaN : 4100,
                dropped == null,
                dropped);
    }

    private static FitRecord fit() {
        FitRecord.Jvm jvm =
                new FitRecord.Jvm(
                        10_032,
                        31.0 * MB,
                        38.0 * MB,
                        12.0 * MB,
                        Double.NaN,
                        128.0 * MB,
                        "a.profile");
        FitRecord.Calibration calibration =
                new FitRecord.Calibration(
                        512 * MB, 2600, 3.4, 260.0 * MB, 21.0 * MB, 290 * MB, 162, jvm);
        return new FitRecord(
                "web",
                10 * MB,
                List.of(
                        new FitRecord.Candidate(
                                "defaults", calibration, limit(290, true), limit(320, true), null),
                        new FitRecord.Candidate("lean", null, limit(190, false), null, null),
                        new FitRecord.Candidate("broken", null, null, null, "it cannot start")),
                List.of(
                        new FitRecord.LimitTrial(
                                "defaults", "defaults-1-512m", 512 * MB, false, null, null),
                        new FitRecord.LimitTrial(
                                "lean", "lean-2-180m", 180 * MB, false, KILLED, null),
                        new FitRecord.LimitTrial(
                                "lean", "lean-3-190m", 190 * MB, true, null, "it got no CPU")),
                new FitRecord.Headline(
                        "lean", 230 * MB, 290 * MB, new RatioInterval(0.99, 0.96, 1.02, 5)),
                new FitRecord.Turning(
                        "defaults",
                        "defaults, turned",
                        290 * MB,
                        List.of(
                                turn("C1 alone", "-XX:TieredStopAtLevel=1", 231, null),
                                turn("less of pool", "pool=1", Double.NaN, "gc"))));
    }

    static RunRecord run() {
        return SampleRun.nothingMeasured().with(fit());
    }

    @Test
    void the_terminal_shows_each_limit_the_knock_outs_below_it_and_the_headline() {
        String text = new Terminal(false).fit(run(), null).replaceAll("\\s+", " ");
        assertThat(text)
                .contains(
                        "the smallest memory limit of web, in steps of 10m; 3 candidates, 3 trials")
                .contains("defaults 290m memory-limit, 3 of 3 2,500.0 40.0 ms 3.50 s 320m")
                .contains("lean 190m ? memory-limit, 1 of 3")
                .contains("broken: it cannot start")
                .contains(
                        "10,032 classes, 162 threads, 31 MB of live heap (38 MB under load), 12 MB of compiled code")
                .contains("run-java.profile")
                .contains("lean with 230m, 21 % less than defaults (290m); 0.99 times its")
                .contains("The smallest limit: lean with 190m, 34 % less than defaults")
                .contains("Changes tried with 290m, starting from defaults")
                .contains(
                        "C1 alone -XX:TieredStopAtLevel=1 262 MB -> 231 MB 2,500.0 -> 4,100.0 kept")
                .contains("less of pool pool=1 262 MB -> - 2,500.0 -> - gc")
                .contains("defaults, turned is defaults with -XX:TieredStopAtLevel=1");
    }

    @Test
    void the_page_shows_the_table_and_all_trials() {
        assertThat(Page.html(run()))
                .contains(
                        "<h2>Changes tried with",
                        "pool=1",
                        "lean-2-180m: memory-limit",
                        "discarded: it got no CPU",
                        "320m");
    }

    @Test
    void the_page_shows_each_trial_at_its_limit_with_its_reason() {
        assertThat(Page.html(run()))
                .contains("<circle class=\"try-memory-limit\"")
                .contains("180m: memory-limit. the kernel killed one of its processes</title>")
                .contains("<line class=\"found\"", ">190m</text>")
                .doesNotContain("try-passed\" cx");
    }

    @Test
    void run_json_follows_its_schema(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("run.json");
        RunJson.write(run(), file);
        String json = Files.readString(file);
        Path schema = Path.of(System.getProperty("project.root", ".."), "docs/run.schema.json");
        assertThat(
                        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                                .getSchema(Files.readString(schema), InputFormat.JSON)
                                .validate(json, InputFormat.JSON))
                .isEmpty();
        assertThat(json).contains("\"directBytes\" : null");
    }
}
