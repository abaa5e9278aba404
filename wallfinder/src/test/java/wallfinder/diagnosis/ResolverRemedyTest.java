package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;

/// What helps a service that waits for name lookups.
class ResolverRemedyTest {
    /// @param knob how long the service keeps answers
    private static List<String> remedies(String resolver, Knob knob, End end) {
        ServiceSpec service = RemedyTest.service("users", Map.of("keep", knob), Limits.NONE);
        Experiment experiment =
                RemedyTest.experiment(service).with(new Setting.OfResolver(true), resolver);
        Judgement.Binds binds = new Judgement.Binds(new NameLookup(), end, Harm.LATENCY, List.of());
        return new NameLookup()
                .remedies(binds, Recorded.healthy().observation(), experiment).stream()
                        .map(Remedy::text)
                        .toList();
    }

    private static Knob keep(Long max) {
        return new Knob("0", WallId.NAME_LOOKUP, max, List.of());
    }

    @Test
    void another_server_comes_first_and_then_kept_answers_and_then_impatience() {
        assertThat(remedies("10.0.0.1 10.0.0.2", keep(60L), End.SERVER))
                .satisfiesExactly(
                        other ->
                                assertThat(other)
                                        .endsWith("10.0.0.1 10.0.0.2 -> 10.0.0.2 10.0.0.1"),
                        kept -> assertThat(kept).isEqualTo("keep 0 -> 60"),
                        impatient ->
                                assertThat(impatient)
                                        .endsWith("10.0.0.1 10.0.0.2 timeout:1 attempts:1"));
    }

    @Test
    void the_only_server_stays_and_so_does_a_knob_without_a_maximum() {
        assertThat(remedies("10.0.0.1", keep(null), End.SERVER))
                .singleElement()
                .asString()
                .endsWith("10.0.0.1 -> 10.0.0.1 timeout:1 attempts:1");
    }

    @Test
    void an_impatient_resolver_stays() {
        assertThat(remedies("10.0.0.1 timeout:1 attempts:1", keep(60L), End.SERVER))
                .containsExactly("keep 0 -> 60");
    }

    @Test
    void the_resolver_of_the_other_end_stays() {
        assertThat(remedies("10.0.0.1 10.0.0.2", keep(null), End.CLIENT)).isEmpty();
    }
}
