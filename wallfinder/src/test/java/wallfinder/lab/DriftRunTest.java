package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Drift;
import wallfinder.observation.ProcessFigure;
import wallfinder.record.RunRecord;

/// The drift of a leaking service, found within seconds instead of hours.
@Tag("sandbox")
class DriftRunTest extends PlantedTest {
    /// A hundredth of the time that a measurement must last before its drift is reported.
    private static final double SECONDS_MIN = 4;

    private List<Drift.Found> descriptorDrift(int leak) throws Exception {
        RunRecord.Trial trial =
                run.control(
                        """
                        services:
                          dormouse:
                            command: python3 $server.py --port 8081 --latency 2 --leak %d
                            ready: { log: ready }
                        load: { url: "http://{server}:8081/", connections: 8, warmup: 0s, duration: 5s }
                        """
                                .formatted(leak),
                        8);
        Optional<Drift> drift = Drift.of(trial.observation(), SECONDS_MIN);
        assertThat(drift).isPresent();
        assertThat(drift.orElseThrow().buckets()).isGreaterThanOrEqualTo(20);
        return drift.orElseThrow().found().stream()
                .filter(found ->
                        found.counter().key().equals(ProcessFigure.DESCRIPTORS.of("dormouse")))
                .toList();
    }

    @Test
    @Tag("long")
    void descriptors_that_a_service_never_closes_are_reported_with_their_rate() throws Exception {
        List<Drift.Found> found = descriptorDrift(20);
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().perHour()).isPositive();
        assertThat(found.getFirst().to()).isGreaterThan(found.getFirst().from() + 5);
        assertThat(found.getFirst().line()).startsWith("descriptors of dormouse +");
    }

    @Test
    @Tag("long")
    void descriptors_of_a_service_that_closes_them_do_not_drift() throws Exception {
        assertThat(descriptorDrift(0)).isEmpty();
    }
}
