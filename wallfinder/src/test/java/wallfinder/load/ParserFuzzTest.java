package wallfinder.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.load.AnswerOracle.End;

/// `bench/fuzz` runs the same test with millions of inputs.
class ParserFuzzTest {
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    @Test
    void the_parser_and_the_oracle_agree_on_any_answer_cut_anywhere() {
        try (ParserFuzz fuzz = new ParserFuzz()) {
            Seeded.cases(1, Long.getLong("fuzz.inputs", 200_000), fuzz::one);
            assertThat(fuzz.verdicts()).as("all verdicts come up").containsOnlyKeys(End.values());
        }
    }

    /// Inputs that once revealed a defect, each in its shortest form.
    @ParameterizedTest
    @ValueSource(
            strings = {
                // A folded line was not read as a part of the field before it.
                OK + "Content-Length:\r\n 5\r\n\r\nhello",
                OK + "Content-Length: 5\r\n 5\r\n\r\nhello",
                OK + "Content-Length: 5\r\n\t\r\n\r\nhello",
                OK + "Content-Length:\n\n",
                OK + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
                OK + "Transfer-Encoding: gzip,\r\n chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
                OK + "Connection:\r\n close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.0 200 OK\r\nConnection: x\n keep-alive\r\nContent-Length: 0\r\n\r\n",
                // A folded line of a cookie overwrote the cookies kept.
                OK + "Set-Cookie: a=1\r\n 2345678\r\nSet-Cookie: a=2\r\n\r\n",
                // A connection was kept after an answer of HTTP/1.0 with a transfer coding.
                "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "0\r\n\r\n",
            })
    void inputs_that_once_revealed_a_defect_are_read_correctly(String answer) {
        try (ParserFuzz fuzz = new ParserFuzz()) {
            fuzz.everyCut(answer.getBytes(ISO_8859_1), false);
            fuzz.everyCut(answer.getBytes(ISO_8859_1), true);
        }
    }

    /// The bound was not applied to a line that came in two pieces, and too early after one.
    @ParameterizedTest
    @CsvSource({
        "65500, 0, true",
        "65600, 0, false",
        "40000, 40000, true",
        "40000, 65600, false",
    })
    void each_chunk_header_is_bounded_wherever_it_is_cut(int first, int second, boolean fits) {
        String answer =
                OK
                        + "Transfer-Encoding: chunked\r\n\r\n1;"
                        + "x".repeat(first - OK.length())
                        + "\r\na\r\n1;"
                        + "x".repeat(second)
                        + "\r\nb\r\n0\r\n\r\n";
        byte[] bytes = answer.getBytes(ISO_8859_1);
        assertThat(AnswerOracle.judge(bytes, false).end())
                .isEqualTo(fits ? End.COMPLETE : End.MALFORMED);
        try (ParserFuzz fuzz = new ParserFuzz()) {
            for (int cut = 1; cut < bytes.length; cut += 997) {
                fuzz.cut(bytes, false, cut);
            }
        }
    }

    /// The parser keeps its state in fields of fixed size.
    @Test
    void the_parser_has_no_field_that_could_grow() {
        assertThat(
                        Arrays.stream(ResponseParser.class.getDeclaredFields())
                                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                                .map(Field::getType))
                .isNotEmpty()
                .noneMatch(type -> type.isArray() || type.getName().startsWith("java."));
    }
}
