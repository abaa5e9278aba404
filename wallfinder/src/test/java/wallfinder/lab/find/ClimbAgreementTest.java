package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.Caveat;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;

/// The rates of a climb and of its pairs may differ by a quarter, in both directions.
class ClimbAgreementTest {
    @ParameterizedTest
    @CsvSource({
        "1000, 1000, false",
        "1240, 1000, false",
        "1000, 1240, false",
        "1260, 1000, true",
        "1000, 1260, true"
    })
    void a_climb_that_differs_from_its_pairs_by_more_than_a_quarter_gets_a_doubt(
            double climbed, double paired, boolean differs) {
        RunRecord.Trial climb =
                SimulatedTrials.trial(
                        "climb-1-wall-64",
                        SimulatedTrials.load(64, climbed, 10, 0),
                        SimulatedTrials.none(),
                        null);
        RatioInterval ratio = new RatioInterval(2, 1.9, 2.1, 3);
        RunRecord.Side before = new RunRecord.Side(paired, 1e7, 0, 10_000, List.of());
        RunRecord.Side after = new RunRecord.Side(2 * paired, 1e7, 0, 20_000, List.of());
        Applied applied =
                new Applied(new Remedy(List.of(), "nothing"), ratio, ratio, before, after, true);

        assertThat(ClimbAgreement.of(climb, applied).caveats())
                .extracting(Caveat::id)
                .isEqualTo(differs ? List.of("climb-differs") : List.of());
    }
}
