package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A few of the inputs of `bench/fuzz readers`.
class MessagesFuzzTest {
    private static final int INPUTS = 20_000;

    @Test
    void damaged_messages_are_read_or_refused() throws Exception {
        MessagesFuzz fuzz = new MessagesFuzz();
        long understood = 0;
        for (long seed = 1; seed <= INPUTS; seed++) {
            understood += fuzz.read(new SplittableRandom(seed));
        }
        assertThat(understood).isGreaterThan(INPUTS / 4);
    }
}
