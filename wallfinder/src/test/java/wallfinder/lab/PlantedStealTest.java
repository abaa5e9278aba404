package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.Experiment;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;

/// Other programs on the CPU of the service. The kernel ends each after 30 s of CPU time at the
/// latest.
@Tag("sandbox")
class PlantedStealTest extends PlantedTest {
    private static final String WALL = "cpu-steal";

    private static String closed(String command) {
        return """
        services:
          planted:
            command: %s
            ready: { log: ready }
        load: { url: "http://{server}:8081/", connections: 8, warmup: 0s, duration: 2s }
        """
                .formatted(command);
    }

    private RunRecord.Trial beside(int neighbours, String yaml) throws Exception {
        List<Process> others = CataloguePrograms.neighbours(neighbours);
        try {
            Experiment experiment = run.experiment(yaml);
            return run.single(experiment, experiment.load().connections(), "trial");
        } finally {
            others.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void other_programs_on_the_cpu_of_a_computing_service_are_named() throws Exception {
        RunRecord.Trial trial = beside(2, closed("python3 $server.py --port 8081 --cpu 3"));
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "cpus.others", "process[].waiting");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    @Tag("long")
    void the_same_service_alone_on_its_cpu_is_at_the_cpu() throws Exception {
        RunRecord.Trial trial = run.planted(closed("python3 $server.py --port 8081 --cpu 3"), 8);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNamed(trial, "cpu", End.SERVER);
    }

    @Test
    @Tag("long")
    void another_service_of_the_experiment_is_no_other_program() throws Exception {
        String yaml =
                closed("python3 $server.py --port 8081 --cpu 3")
                        .replace(
                                "services:\n",
                                """
                                services:
                                  beside:
                                    command: sh -c 'echo ready; while :; do :; done'
                                    ready: { log: ready }
                                """);
        RunRecord.Trial trial = run.planted(yaml, 8);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertWall(trial, "cpu", End.SERVER);
    }

    /// 60 % of the CPU.
    private static final String STEADY =
            """
            services:
              other:
                command: node $server.js --port 9090 --cpu 5
                ready: { log: ready }
            load:
              url: http://{server}:9090/
              connections: 32
              arrival: { rate: 120 }
              warmup: 0s
              duration: 2s
            """;

    @Test
    @Tag("long")
    void a_rate_that_the_service_sustains_alone_is_too_much_beside_others() throws Exception {
        RunRecord.Trial trial = beside(4, STEADY);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "cpus.others", "process[].waiting");
    }

    @Test
    @Tag("long")
    void once_the_others_have_ended_the_same_rate_reaches_no_wall() throws Exception {
        RunRecord.Trial trial = run.control(STEADY, 32);
        PlantedRun.assertNotNamed(trial, WALL);
        if (!PlantedRun.starved(trial)) {
            PlantedRun.assertNotNamed(trial, "cpu");
        }
    }
}
