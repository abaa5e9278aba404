package wallfinder.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.record.Comparison;
import wallfinder.record.Comparison.Figure;
import wallfinder.record.Comparison.Kind;
import wallfinder.record.Comparison.Result;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRunJson;
import wallfinder.report.ComparisonText;

class CapacityCompareTest {
    @TempDir Path folder;

    private StoredRun stored(String name, RunRecord run) throws Exception {
        Path file = folder.resolve(name);
        RunJson.write(run, file);
        return StoredRunJson.read(file);
    }

    private Comparison compared(RunRecord a, RunRecord b) throws Exception {
        return Compare.of("A", stored("a.json", a), "B", stored("b.json", b));
    }

    private static Figure figure(Comparison comparison) {
        assertThat(comparison.rows()).hasSize(1);
        assertThat(comparison.rows().getFirst().figures()).hasSize(1);
        return comparison.rows().getFirst().figures().getFirst();
    }

    @Test
    void two_capacities_whose_intervals_are_apart_differ() throws Exception {
        Comparison comparison =
                compared(SampleCapacity.run(400, 390, 410), SampleCapacity.run(480, 470, 490));
        Figure figure = figure(comparison);
        assertThat(figure.kind()).isEqualTo(Kind.CAPACITY);
        assertThat(figure.ratio()).isEqualTo(1.2);
        assertThat(figure.result()).isEqualTo(Result.MORE);
        assertThat(ComparisonText.of(comparison, false))
                .contains("capacity for p99 < 50ms", "400.0", "480.0", "1.20", "higher");
    }

    @Test
    void the_same_capacity_twice_is_no_difference() throws Exception {
        RunRecord run = SampleCapacity.run(400, 390, 410);
        Figure figure = figure(compared(run, SampleCapacity.run(404, 394, 414)));
        assertThat(figure.result()).isEqualTo(Result.NONE);
    }

    /// The trials of B contradict each other.
    @Test
    void a_capacity_without_an_interval_decides_nothing() throws Exception {
        RunRecord contradicted = SampleCapacity.run(480, 0, Double.POSITIVE_INFINITY);
        Comparison comparison = compared(SampleCapacity.run(400, 390, 410), contradicted);
        assertThat(figure(comparison).result()).isEqualTo(Result.NO_INTERVAL);
        assertThat(ComparisonText.of(comparison, false))
                .contains("undecided: trials contradict each other");
    }

    @Test
    void a_capacity_at_the_generators_limit_is_a_lower_bound() throws Exception {
        Figure figure = figure(compared(SampleCapacity.run(400, 390, 410), SampleCapacity.run()));
        assertThat(figure.result()).isEqualTo(Result.B_IS_LOWER_BOUND);
        assertThat(figure.interval()).isNull();
    }

    /// A capacity with eight times as many connections is that of another load.
    @Test
    void capacities_of_different_loads_are_no_difference_of_the_services() throws Exception {
        Path other = folder.resolve("other.json");
        RunJson.write(SampleCapacity.run(480, 470, 490), other);
        Files.writeString(
                other,
                Files.readString(other)
                        .replaceAll("\"connections\" : \\d+", "\"connections\" : 9"));
        Comparison comparison =
                Compare.of(
                        "A",
                        stored("a.json", SampleCapacity.run(400, 390, 410)),
                        "B",
                        StoredRunJson.read(other));
        assertThat(figure(comparison).result()).isEqualTo(Result.OTHER_LOAD);
        assertThat(comparison.rows().getFirst().load()).contains("B: 9 connections");
        assertThat(ComparisonText.of(comparison, false)).contains("The loads differ");
    }
}
