package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BodyTextTest {
    /// Whether the text is found in a body cut into pieces of a length.
    private static boolean found(String text, String body, int pieceBytes) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        BodyText looked = new BodyText(text);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(bytes.length + 1L);
            MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
            long end = memory.address() + bytes.length;
            int matched = 0;
            for (long at = memory.address(); at < end; at += pieceBytes) {
                matched = looked.read(matched, at, Math.min(end, at + pieceBytes));
            }
            return looked.found(matched);
        }
    }

    @Test
    void a_text_is_found_wherever_the_body_is_cut() {
        for (int pieceBytes = 1; pieceBytes < 20; pieceBytes++) {
            assertThat(found("aab", "aaaaaab", pieceBytes)).isTrue();
            assertThat(found("abcabd", "abcabcabd and more", pieceBytes)).isTrue();
            assertThat(found("Grüße", "viele Grüße", pieceBytes)).isTrue();
            assertThat(found("abcabd", "abcabcab", pieceBytes)).isFalse();
            assertThat(found("x", "", pieceBytes)).isFalse();
        }
    }

    @Test
    void it_finds_the_same_as_a_search_in_the_whole_body() {
        Random random = new Random(19);
        for (int i = 0; i < 20_000; i++) {
            String text = letters(random, 1 + random.nextInt(6));
            String body = letters(random, random.nextInt(30));
            assertThat(found(text, body, 1 + random.nextInt(7)))
                    .as("%s in %s", text, body)
                    .isEqualTo(body.contains(text));
        }
    }

    private static String letters(Random random, int length) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < length; i++) {
            letters.append((char) ('a' + random.nextInt(2)));
        }
        return letters.toString();
    }
}
