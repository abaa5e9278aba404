package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.Tree;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.UsageException;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.record.FitRecord;

/// Services with a known need of memory, in real cgroups.
@Tag("sandbox")
@Timeout(600)
class PlantedFitTest extends PlantedTest {
    private static final long MB = 1 << 20;

    /// Each of 40 requests holds 2 MB for 100 ms. Python itself needs about 15 MB.
    private static String forty(String fit) {
        return """
        services:
          planted: { command: python3 $server.py --port 8081 --latency 100 --memory 2048,
            memory: 256m, ready: { log: ready } }
        load: { url: "http://{server}:8081/", connections: 40, warmup: 0s, duration: 1s }
        fit: %s
        objective: errors < 1%%
        """
                .formatted(fit);
    }

    /// Fits a JVM that holds 1 MB of its heap for each request, for 100 ms.
    ///
    /// @param start the command that starts it, without its arguments
    /// @param more other keys of the service
    /// @param load other keys of the load
    private Fit.Result pooled(String start, String more, String load, String fit) throws Exception {
        String text =
                """
                services:
                  planted: {
                    command: "%s 8082 1024 64 100 1024", jvm: 25, %s,
                    ready: "tcp://{server}:8082", readyWithin: 30s }
                load: { url: "http://{server}:8082/", warmup: 0s, %s }
                fit: %s
                objective: errors < 1%%
                """
                        .formatted(start, more, load, fit);
        return new Fit(run.fitPlan(text), TrialHosts.here(run.context())).run();
    }

    private FitRecord.Candidate only(Fit.Result result) {
        assertThat(result.fit().candidates()).as(run.output()).hasSize(1);
        FitRecord.Candidate only = result.fit().candidates().getFirst();
        assertThat(only.warm()).as(run.output()).isNotNull();
        return only;
    }

    @Tag("long")
    @Test
    void a_service_without_a_jvm_is_fitted_warm_and_cold() throws Exception {
        Fit.Result result =
                new Fit(
                                run.fitPlan(forty("{ step: 10m, cold: [$server.py] }")),
                                TrialHosts.here(run.context()))
                        .run();

        FitRecord.Candidate only = only(result);
        assertThat(only.warm().bytes()).isBetween(80 * MB, 140 * MB);
        assertThat(only.warm().verified()).as(run.output()).isTrue();
        assertThat(only.warm().because().kind().word()).isEqualTo("memory-limit");
        assertThat(only.warm().because().evidence().getFirst()).contains("the kernel killed");
        assertThat(only.calibration().jvm()).isNull();
        assertThat(only.calibration().anonymousBytes()).isBetween(60.0 * MB, 140.0 * MB);
        assertThat(folder.resolve(FitProfile.FILE)).doesNotExist();
        assertThat(only.cold().bytes()).isGreaterThanOrEqualTo(only.warm().bytes());
        assertThat(result.fit().tries()).anyMatch(FitRecord.LimitTrial::cold);
        assertThat(folder.resolve("cold")).doesNotExist();
        assertThat(result.found()).isTrue();
        assertThat(result.trials()).isNotEmpty();
    }

    @Test
    @Tag("long")
    void a_service_that_fails_with_a_generous_limit_has_no_smallest_limit() throws Exception {
        String slow = forty("{ step: 10m }").replace("errors < 1%", "p50 < 1ms");
        Fit.Result result = new Fit(run.fitPlan(slow), TrialHosts.here(run.context())).run();
        assertThat(result.found()).isFalse();
        assertThat(result.failure()).isNull();
        FitRecord.Candidate only = result.fit().candidates().getFirst();
        assertThat(only.warm()).isNull();
        assertThat(only.problem()).contains("even with 256m it is not OK: objective");
    }

    /// The heap may take three tenths of the limit, and each of 24 requests holds 1 MB in it.
    @Tag("long")
    @Test
    void a_heap_that_follows_the_limit_is_the_knock_out_and_a_profile_is_written()
            throws Exception {
        String java =
                "{jvm}/bin/java -XX:MaxRAMPercentage=30 -XX:MinRAMPercentage=30 -XX:+UseSerialGC"
                        + " -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError $PoolServer.java";
        Fit.Result result =
                pooled(java, "memory: 480m", "connections: 24, duration: 1s", "{ step: 10m }");
        FitRecord.Candidate only = only(result);
        assertThat(only.warm().found()).as(run.output()).isTrue();
        assertThat(only.warm().because().kind().word()).as(run.output()).isIn("heap", "gc");
        assertThat(only.calibration().jvm().classes()).isGreaterThan(400);
        String profile = Files.readString(folder.resolve(FitProfile.FILE));
        assertThat(profile)
                .containsPattern("\nclasses=\\d+\nthreads=\\d+\nlive-mb=\\d+\nloaded-mb=\\d+\n");
        double underWay =
                only.calibration().jvm().loadedBytes() - only.calibration().jvm().liveBytes();
        assertThat(underWay).as(profile).isGreaterThan(8 << 20);
        assertThat(run.output().lines())
                .contains("  that changes nothing"); // no start script reads the profile
        assertThat(profile).doesNotContain("outside-mb");
    }

    /// The same would happen with the next candidate, so the fit ends.
    @Test
    void a_profile_that_cannot_be_written_ends_the_fit_and_keeps_the_measurements()
            throws Exception {
        Files.createDirectory(folder.resolve("one-" + FitProfile.FILE));
        Fit.Result result =
                pooled(
                        "{jvm}/bin/java {candidate.options} $PoolServer.java",
                        "memory: 480m",
                        "connections: 4, requests: 20",
                        """
                        { step: 10m, candidates: [
                            { name: one, options: -XX:+UseSerialGC },
                            { name: two, options: -XX:TieredStopAtLevel=1 } ] }\
                        """);
        assertThat(result.failure()).isInstanceOf(FitProfile.NotKept.class);
        assertThat(result.ended()).startsWith("it failed: the profile cannot be kept in ");
        assertThat(result.trials()).as(run.output()).hasSize(1);
        assertThat(result.fit().candidates()).hasSize(1);
        assertThat(result.fit().candidates().getFirst().calibration()).isNull();
    }

    /// The program has few classes and short stacks, so it needs less than the script assumes.
    @Tag("long")
    @Test
    void a_start_script_that_gets_the_profile_needs_a_smaller_limit() throws Exception {
        PlantedRun.compiled("PoolServer.java", folder);
        Path script = Tree.ROOT.resolve("launcher/run-java");
        String more =
                "memory: 200m, env: { PATH: '{jvm}/bin:/usr/bin:/bin', JAVA_MAIN_CLASS: PoolServer,"
                        + " JAVA_CLASSPATH: %s }".formatted(folder);
        Fit.Result result =
                pooled(script.toString(), more, "connections: 24, duration: 1s", "{ step: 4m }");
        String said = run.output();
        FitRecord.Candidate only = only(result);
        Matcher sum = Pattern.compile("the smallest limit: (\\d+)m").matcher(said);
        assertThat(sum.find()).as(said).isTrue();
        assertThat(only.warm().bytes()).as(said).isLessThan(Long.parseLong(sum.group(1)) * MB);
        assertThat(Files.readString(folder.resolve(FitProfile.FILE)))
                .containsPattern("\noutside-mb=\\d+\n");
    }

    @Test
    void cold_files_are_copies_outside_the_page_cache_that_are_deleted_at_the_end()
            throws Exception {
        String server = PlantedRun.resource("server.py").toString();
        Experiment experiment = run.experiment(forty("{ step: 10m }"));
        Path copy;
        try (ColdFiles files = new ColdFiles(run.context())) {
            Experiment cold = files.applied(experiment, "planted", List.of(server));
            String command = cold.service("planted").command();
            assertThat(command).doesNotContain(server).contains("0-server.py");
            copy = Path.of(command.split(" ")[1]);
            assertThat(copy).startsWith(folder).hasSameBinaryContentAs(Path.of(server));
            assertThat(files.drop()).isZero();
        }
        assertThat(copy).doesNotExist();
    }

    @Test
    void a_folder_that_contains_a_fit_is_refused() throws Exception {
        Files.createDirectory(folder.resolve(FitFrontier.FOLDER));
        var plan = run.fitPlan(forty("{ step: 10m }"));
        assertThatThrownBy(() -> new Fit(plan, TrialHosts.here(run.context())))
                .isInstanceOf(UsageException.class);
    }
}
