package wallfinder.lab;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.Tree;
import wallfinder.diagnosis.Wall;
import wallfinder.diagnosis.Walls;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;

/// The catalogue is complete, and every case is a valid experiment with any seed.
class CatalogueTest {
    private static final Pattern PROGRAM =
            Pattern.compile("\\$(?:go-server|nginx|[A-Za-z]+\\.\\w+)");
    private static final int SEEDS = 20;

    @TempDir Path folder;

    @BeforeEach
    void write() throws Exception {
        CataloguePrograms.writeBody(folder);
    }

    private static List<CatalogueCase> cases() throws Exception {
        return CatalogueCase.all(Tree.ROOT, 1);
    }

    @Test
    void every_wall_is_planted_twice_with_different_servers_and_loads() throws Exception {
        for (Wall wall : Walls.ALL) {
            List<CatalogueCase> plants =
                    cases().stream()
                            .filter(CatalogueCase::isPlant)
                            .filter(c -> wall.id().word().equals(c.expects().wall()))
                            .toList();
            assertThat(plants.stream().map(CatalogueTest::server).distinct())
                    .as("servers for " + wall.id().word())
                    .hasSizeGreaterThanOrEqualTo(2);
            Set<String> loads = new TreeSet<>();
            for (CatalogueCase plant : plants) {
                loads.add(load(plant));
            }
            assertThat(loads).as("loads for " + wall.id().word()).hasSizeGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void every_wall_has_two_controls_with_different_servers() throws Exception {
        for (Wall wall : Walls.ALL) {
            assertThat(
                            cases().stream()
                                    .filter(c -> c.expects().not().contains(wall.id().word()))
                                    .map(CatalogueTest::server)
                                    .distinct())
                    .as("controls for " + wall.id().word())
                    .hasSizeGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void there_are_as_many_controls_as_plants_and_each_is_hard() throws Exception {
        List<CatalogueCase> controls = cases().stream().filter(c -> !c.isPlant()).toList();
        assertThat(controls).allSatisfy(control -> assertThat(control.hard()).isNotEmpty());
        assertThat(controls.size()).isGreaterThanOrEqualTo(cases().size() - controls.size());
    }

    @Test
    void at_least_six_walls_are_planted_in_servers_that_are_not_java() throws Exception {
        assertThat(
                        cases().stream()
                                .filter(CatalogueCase::isPlant)
                                .filter(c -> !c.yaml().contains("/bin/java"))
                                .map(c -> String.valueOf(c.expects().wall()))
                                .collect(toSet()))
                .hasSizeGreaterThanOrEqualTo(6);
    }

    @Test
    void every_case_is_an_experiment_with_any_seed() throws Exception {
        try (PlantedRun run = new PlantedRun(Tree.ROOT, folder)) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                for (CatalogueCase planted : CatalogueCase.all(Tree.ROOT, seed)) {
                    assertThat(planted.planted()).as(planted.name()).isNotEmpty();
                    Experiment experiment = run.experiment(planted.yaml());
                    assertThat(experiment.services()).as(planted.name()).isNotEmpty();
                }
            }
        }
    }

    @Test
    void a_case_has_the_same_numbers_only_with_the_same_seed() throws Exception {
        String text = "# Some.\n# expects: none\na: <n:1000..900000>\nb: <n*2>\n";
        CatalogueCase one = CatalogueCase.of("one", text, 1);
        assertThat(CatalogueCase.of("one", text, 1)).isEqualTo(one);
        assertThat(CatalogueCase.of("one", text, 2).yaml()).isNotEqualTo(one.yaml());
        Matcher numbers = Pattern.compile("a: (\\d+)\nb: (\\d+)\n").matcher(one.yaml());
        assertThat(numbers.find()).isTrue();
        assertThat(Long.parseLong(numbers.group(2)))
                .isEqualTo(2 * Long.parseLong(numbers.group(1)));
    }

    /// The programs that a case starts as services. A service's jar counts as `jar`.
    private static String server(CatalogueCase planted) {
        String services = planted.yaml().substring(0, planted.yaml().indexOf("\nload:"));
        List<String> programs = new ArrayList<>();
        Matcher program = PROGRAM.matcher(services);
        while (program.find()) {
            programs.add(program.group());
        }
        if (services.contains(".jar")) {
            programs.add("jar");
        }
        return String.join(" ", programs);
    }

    /// The kind and the size of a case's load.
    private String load(CatalogueCase planted) throws Exception {
        try (PlantedRun run = new PlantedRun(Tree.ROOT, folder)) {
            return switch (run.experiment(planted.yaml()).load()) {
                case LoadSpec.Command command -> command.program().command();
                case LoadSpec.Hold hold -> hold.spec().toString();
                case LoadSpec.Http http ->
                        kind(http.arrival()) + " " + http.connections() + " " + http.keepalive();
            };
        }
    }

    private static String kind(Arrival arrival) {
        return arrival.getClass().getSimpleName();
    }
}
