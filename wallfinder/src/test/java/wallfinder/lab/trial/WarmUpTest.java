package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.LoadSpec;

/// The load that warms a service before the load under test.
class WarmUpTest {
    @TempDir Path folder;

    private LoadSpec.Http http(String arrival) throws Exception {
        Path file = folder.resolve("experiment.yaml");
        Files.writeString(
                file,
                """
                services: { web: { command: "true", ready: "tcp://{server}:8080" } }
                load: { url: "http://{server}:8080/", connections: 64, arrival: %s }
                """
                        .formatted(arrival));
        return (LoadSpec.Http) ExperimentFile.read(file).load();
    }

    @Test
    void a_single_trial_is_warmed_by_a_quarter_of_its_connections_but_at_least_one() {
        assertThat(WarmUp.likelyBelow(64)).isEqualTo(new WarmUp(16, 0));
        assertThat(WarmUp.likelyBelow(3).connections()).isEqualTo(1);
        assertThat(WarmUp.untilWarm(0).connections()).isEqualTo(1);
    }

    @Test
    void a_number_of_answers_may_take_twice_as_long() {
        Duration longest = Duration.ofSeconds(20);
        assertThat(new WarmUp(8, 0).longest(longest)).isEqualTo(longest);
        assertThat(new WarmUp(8, 1).longest(longest)).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void an_open_loop_is_warmed_by_a_closed_one_of_few_connections() throws Exception {
        LoadSpec.Http open = http("{ rate: 5k }");
        WarmUp warmUp = new WarmUp(64, 1_000);
        assertThat(warmUp.gentle(open).arrival()).isEqualTo(new Arrival.Closed());
        assertThat(warmUp.of(open)).isEqualTo(new WarmUp(4, 1_000));
        assertThat(new WarmUp(2, 0).of(open).connections()).isEqualTo(2);
    }

    @Test
    void batches_are_warmed_by_a_closed_loop_of_as_many_connections() throws Exception {
        LoadSpec.Http lockstep = http("lockstep");
        WarmUp warmUp = new WarmUp(64, 1_000);
        assertThat(warmUp.gentle(lockstep).arrival()).isEqualTo(new Arrival.Closed());
        assertThat(warmUp.of(lockstep)).isSameAs(warmUp);
    }

    @Test
    void zero_connections_and_a_negative_number_of_answers_are_refused() {
        assertThatThrownBy(() -> new WarmUp(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WarmUp(1, -1)).isInstanceOf(IllegalArgumentException.class);
    }
}
