package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.UsageException;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.record.FitRecord;

/// Services whose need of memory is known, in real cgroups.
@Tag("sandbox")
@Timeout(600)
class PlantedFitTest extends PlantedTest {
    private static final long MB = 1 << 20;

    /// Each of 40 requests holds 2 MB for 100 ms, and Python some 15 MB.
    private static String forty(String fit) {
        return """
        services:
          planted:
            command: python3 $server.py --port 8081 --latency 100 --memory 2048
            memory: 256m
            ready: { log: ready }
        load:
          url: http://{server}:8081/
          connections: 40
          warmup: 0s
          duration: 1s
        fit: %s
        objective: errors < 1%%
        """
                .formatted(fit);
    }

    /// Fits a JVM that holds 1 MB of its heap for each request, for 100 ms.
    ///
    /// @param start what starts it, but for its arguments
    /// @param more of the service
    /// @param load of the load
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
        return new Fit(run.fitPlan(text), run.context()).run();
    }

    private FitRecord.Candidate only(Fit.Result result) {
        assertThat(result.fit().candidates()).as(String.join("\n", run.said())).hasSize(1);
        FitRecord.Candidate only = result.fit().candidates().getFirst();
        assertThat(only.warm()).as(String.join("\n", run.said())).isNotNull();
        return only;
    }

    @Tag("long")
    @Test
    void a_service_that_is_no_jvm_is_fitted_by_what_it_holds_warm_and_cold() throws Exception {
        Fit.Result result =
                new Fit(run.fitPlan(forty("{ step: 10m, cold: [$server.py] }")), run.context())
                        .run();

        FitRecord.Candidate only = only(result);
        assertThat(only.warm().bytes()).isBetween(80 * MB, 140 * MB);
        assertThat(only.warm().verified()).as(String.join("\n", run.said())).isTrue();
        assertThat(only.warm().because().kind()).isEqualTo("memory-limit");
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
    void a_service_that_is_not_ok_with_a_generous_limit_either_has_no_limit() throws Exception {
        String slow = forty("{ step: 10m }").replace("errors < 1%", "p50 < 1ms");
        Fit.Result result = new Fit(run.fitPlan(slow), run.context()).run();
        assertThat(result.found()).isFalse();
        assertThat(result.failure()).isNull();
        FitRecord.Candidate only = result.fit().candidates().getFirst();
        assertThat(only.warm()).isNull();
        assertThat(only.problem()).contains("not OK with 256m either: objective");
    }

    /// Of its limit the heap may take three tenths, and 24 requests hold 1 MB each in it.
    @Tag("long")
    @Test
    void the_heap_of_a_jvm_that_follows_the_limit_is_the_knock_out_and_its_profile_is_kept()
            throws Exception {
        String java =
                "{jvm}/bin/java -XX:MaxRAMPercentage=30 -XX:MinRAMPercentage=30 -XX:+UseSerialGC"
                        + " -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError $PoolServer.java";
        Fit.Result result =
                pooled(java, "memory: 480m", "connections: 24, duration: 1s", "{ step: 10m }");
        FitRecord.Candidate only = only(result);
        assertThat(only.warm().found()).as(String.join("\n", run.said())).isTrue();
        assertThat(only.warm().because().kind())
                .as(String.join("\n", run.said()))
                .isIn("heap", "gc");
        assertThat(only.calibration().jvm().classes()).isGreaterThan(400);
        String profile = Files.readString(folder.resolve(FitProfile.FILE));
        assertThat(profile)
                .containsPattern("\nclasses=\\d+\nthreads=\\d+\nlive-mb=\\d+\nloaded-mb=\\d+\n");
        double underWay =
                only.calibration().jvm().loadedBytes() - only.calibration().jvm().liveBytes();
        assertThat(underWay).as(profile).isGreaterThan(8 << 20);
        assertThat(run.said()).contains("  that changes nothing"); // nobody reads the profile
        assertThat(profile).doesNotContain("outside-mb");
    }

    /// It would be so of the next candidate as well.
    @Test
    void a_profile_that_cannot_be_kept_ends_the_fit_with_what_was_measured() throws Exception {
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
        assertThat(result.trials()).as(String.join("\n", run.said())).hasSize(1);
        assertThat(result.fit().candidates()).hasSize(1);
        assertThat(result.fit().candidates().getFirst().calibration()).isNull();
    }

    /// What few classes and short stacks leave of the script's sum.
    @Tag("long")
    @Test
    void what_a_start_script_leaves_of_the_limit_is_told_to_it_and_it_lives_with_less()
            throws Exception {
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-d",
                                folder.toString(),
                                PlantedRun.resource("PoolServer.java").toString());
        assertThat(status).isZero();
        Path script =
                Path.of(System.getProperty("project.root", ".."), "launcher", "run-java")
                        .toRealPath();
        String more =
                "memory: 200m, env: { PATH: '{jvm}/bin:/usr/bin:/bin', JAVA_MAIN_CLASS: PoolServer,"
                        + " JAVA_CLASSPATH: %s }".formatted(folder);
        Fit.Result result =
                pooled(script.toString(), more, "connections: 24, duration: 1s", "{ step: 4m }");
        String said = String.join("\n", run.said());
        FitRecord.Candidate only = only(result);
        Matcher sum = Pattern.compile("the smallest limit: (\\d+)m").matcher(said);
        assertThat(sum.find()).as(said).isTrue();
        assertThat(only.warm().bytes()).as(said).isLessThan(Long.parseLong(sum.group(1)) * MB);
        assertThat(Files.readString(folder.resolve(FitProfile.FILE)))
                .containsPattern("\noutside-mb=\\d+\n");
    }

    @Test
    void cold_files_are_copies_of_which_nothing_is_in_memory_and_which_are_gone_at_the_end()
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
    void a_folder_that_has_a_fit_already_is_refused() throws Exception {
        Files.createDirectory(folder.resolve(FitFrontier.FOLDER));
        var plan = run.fitPlan(forty("{ step: 10m }"));
        assertThatThrownBy(() -> new Fit(plan, run.context())).isInstanceOf(UsageException.class);
    }
}
