package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import wallfinder.linux.Memory;

class PayloadTest {
    private static final int BYTES = 45;
    private static final long MESSAGE = (12L << 32) | 34;

    @Test
    void a_message_in_any_pieces_is_correct() {
        try (Payload payload = new Payload(1, BYTES)) {
            long at = payload.write(MESSAGE);
            for (int from = 0; from < BYTES; from++) {
                for (int count = 1; count <= BYTES - from; count++) {
                    assertThat(payload.wrong(MESSAGE, from, at + from, count)).isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void each_flipped_bit_is_found_where_it_is() {
        try (Payload payload = new Payload(2, BYTES)) {
            long at = payload.write(MESSAGE);
            for (int bit = 0; bit < 8 * BYTES; bit++) {
                flip(at, bit);
                for (int from = 0; from <= bit / 8; from += 3) {
                    assertThat(payload.wrong(MESSAGE, from, at + from, BYTES - from))
                            .isEqualTo(bit / 8);
                }
                flip(at, bit);
            }
        }
    }

    private static void flip(long at, int bit) {
        byte now = Memory.getByte(at + bit / 8);
        Memory.putByte(at + bit / 8, (byte) (now ^ (1 << (bit % 8))));
    }

    @Test
    void the_expected_byte_is_the_one_that_was_written() {
        try (Payload payload = new Payload(3, BYTES)) {
            long at = payload.write(MESSAGE);
            for (int i = 0; i < BYTES; i++) {
                assertThat(Memory.getByte(at + i)).isEqualTo(payload.expected(MESSAGE, i));
            }
        }
    }

    @Test
    void no_two_messages_begin_with_the_same_bytes() {
        Set<Long> seen = new HashSet<>();
        try (Payload payload = new Payload(4, BYTES)) {
            for (long connection = 0; connection < 300; connection++) {
                for (int sequence = 0; sequence < 300; sequence++) {
                    seen.add(Memory.getLong(payload.write((connection << 32) | sequence)));
                }
            }
        }
        assertThat(seen).hasSize(90_000);
    }
}
