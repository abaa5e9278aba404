package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;

/// An open loop of 50 requests a second whose generator sends a few late.
class SentLateTest {
    private static Recorded late(long requests, long late) {
        return Recorded.healthy()
                .connections(10)
                .unloadedMillis(2)
                .responseMillis(2, requests)
                .open(0.1, late)
                .alsoLate(1.9, late);
    }

    /// Of 200 requests, two are expected late if one in a hundred is, and often three or four.
    @Test
    void four_of_200_may_be_chance_and_are_a_doubt() {
        Diagnosis diagnosis = late(200, 4).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .filteredOn(caveat -> caveat.id().equals("sent-late"))
                .extracting(Caveat::advice)
                .singleElement()
                .satisfies(advice ->
                        assertThat(advice).startsWith("one request in a hundred was sent 1.90 ms"));
    }

    @Test
    void six_of_200_are_the_generators_limit() {
        Diagnosis diagnosis = late(200, 6).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.wallId()).contains("load-generator");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).doesNotContain("sent-late");
    }

    @Test
    void the_evidence_says_what_made_them_late() {
        Recorded busy = late(200, 6).waitingShare(0.05).pausedMillis(3.5, 2);
        assertThat(busy.diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "the generator's threads waited for a CPU in 5 % of the time",
                        "the longest pause of the generator took 3.50 ms");
    }

    @Test
    void one_and_a_half_in_a_hundred_of_many_are_sure() {
        assertThat(late(20_000, 300).diagnosed().verdict()).isEqualTo(Verdict.INVALID);
        assertThat(late(20_000, 190).diagnosed().caveats())
                .extracting(Caveat::id)
                .doesNotContain("sent-late");
    }
}
