package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LockWatchTest {
    private static final Optional<LockDump> CONTENDED =
            Optional.of(new LockDump("Store", 49, null, null, null));

    /// Such as a launcher beside the service.
    @Test
    void a_jvm_without_a_lock_does_not_dilute_the_lock_of_another() {
        LockWatch.Seen seen =
                LockWatch.Seen.NOTHING
                        .and(List.of(Optional.empty(), CONTENDED))
                        .and(List.of(CONTENDED, Optional.empty()));
        assertThat(seen.looks()).isEqualTo(2);
        assertThat(seen.waiters()).isEqualTo(98);
        assertThat(seen.most()).isEqualTo(CONTENDED.orElseThrow());
    }

    /// Between two owners, the next one still waits, so such a look has the most waiters.
    @Test
    void a_look_that_shows_the_owner_is_better_than_one_between_two_owners() {
        LockDump owned = new LockDump("Store", 48, null, "handler-3", null);
        for (List<Optional<LockDump>> looks :
                List.of(
                        List.of(CONTENDED, Optional.of(owned)),
                        List.of(Optional.of(owned), CONTENDED))) {
            LockWatch.Seen seen = LockWatch.Seen.NOTHING;
            for (Optional<LockDump> look : looks) {
                seen = seen.and(List.of(look));
            }
            assertThat(seen.most()).isEqualTo(owned);
            assertThat(seen.waiters()).isEqualTo(97);
        }
        Optional<LockDump> fewer = Optional.of(new LockDump("Store", 40, null, "handler-5", null));
        assertThat(LockWatch.Seen.NOTHING.and(List.of(CONTENDED)).and(List.of(fewer)).most())
                .isEqualTo(CONTENDED.orElseThrow());
    }

    @Test
    void a_round_without_an_answer_is_no_look() {
        assertThat(LockWatch.Seen.NOTHING.and(List.of())).isEqualTo(LockWatch.Seen.NOTHING);
        assertThat(LockWatch.Seen.NOTHING.and(List.of(Optional.empty())).looks()).isEqualTo(1);
    }
}
