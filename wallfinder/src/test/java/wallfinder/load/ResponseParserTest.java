package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.linux.Memory;

class ResponseParserTest {
    private static final int ROOM = 256 * 1024;
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    private final long memory = Memory.map(ROOM);
    private final ResponseParser parser = new ResponseParser();

    @AfterEach
    void unmap() {
        Memory.unmap(memory, ROOM);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                OK + "Content-Length: 5\r\n\r\nhello",
                OK + "content-LENGTH:5\r\nServer: x\r\n\r\nhello",
                OK + "Content-Length: 5 \r\nContent-Length: 5\r\n\r\nhello",
                OK + "Content-Length: 0\r\n\r\n",
                OK + "Connection: keep-alive\r\nContent-Length: 1\r\nConten: 9\r\n\r\n1",
                "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\n1",
                "HTTP/1.1 200 OK\nContent-Length: 2\n\nab",
                "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\n" + OK + "Content-Length: 1\r\n\r\n1",
                "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
                OK + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                OK + "Transfer-Encoding: gzip, Chunked\r\n\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n",
                OK + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\na\r\n00\r\n\r\n",
                OK + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n",
                OK + "Transfer-Encoding: chunked\n\n2\nab\n0\n\n",
                OK
                        + "X: a long value of more than eight bytes\r\n folded\r\nContent-Length: 1\r\n\r\n1",
            })
    void an_answer_is_read_to_its_end_wherever_it_is_cut(String answer) {
        for (int cut = 0; cut < answer.length(); cut++) {
            parser.start(false);
            assertThat(read(answer.substring(0, cut))).isEqualTo(cut);
            assertThat(parser.ended()).as("cut at %d", cut).isFalse();
            String rest = answer.substring(cut);
            assertThat(read(rest + "HTTP")).isEqualTo(rest.length());
            assertThat(parser.ended()).as("cut at %d", cut).isTrue();
            assertThat(parser.malformed()).isFalse();
            assertThat(parser.closes()).isFalse();
        }
        parser.start(false);
        for (int at = 0; at < answer.length(); at++) {
            assertThat(parser.ended()).isFalse();
            read(answer.substring(at, at + 1));
        }
        assertThat(parser.ended()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.2\r\n",
                "HTTP/2 200 OK\r\n\r\n",
                "http/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 2000 OK\r\n\r\n",
                "HTTP/1.1 2x0 OK\r\n\r\n",
                "HTTP/1.1 099 OK\r\n\r\n",
                "HTTP/1.x 200 OK\r\n\r\n",
                "HTTP/1.1  200 OK\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n",
                OK + "no colon\r\n\r\n",
                OK + "Nothing\r\n\r\n",
                OK + ": empty name\r\n\r\n",
                OK + " folded first\r\n\r\n",
                OK + "A: b\r\n\rx",
                OK + "Content-Length: 5, 6\r\n\r\n",
                OK + "Content-Length: -5\r\n\r\n",
                OK + "Content-Length: 5 5\r\n\r\n",
                OK + "Content-Length: \r\n\r\n",
                OK + "Content-Length: 5x\r\n\r\n",
                OK + "Content-Length: 99999999999999999999\r\n\r\n",
                OK + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
                OK + "Transfer-Encoding: chunked\r\n\r\nx\r\n",
                OK + "Transfer-Encoding: chunked\r\n\r\n\r\n",
                OK + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc",
                OK + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\r\n",
                OK + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n",
                OK + "Transfer-Encoding: chunked\r\n\r\n0\r\n\rx",
            })
    void an_answer_that_is_not_http_is_malformed_wherever_it_is_cut(String garbage) {
        for (int cut = 0; cut < garbage.length(); cut++) {
            parser.start(false);
            read(garbage.substring(0, cut));
            read(garbage.substring(cut));
            assertThat(parser.malformed()).as("cut at %d", cut).isTrue();
            assertThat(parser.endOfStream()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1, Connection: close, true",
        "HTTP/1.1, 'Connection: Upgrade, CLOSE', true",
        "HTTP/1.1, Connection: closed, false",
        "HTTP/1.1, Connection: keep-alive, false",
        "HTTP/1.1, X: y, false",
        "HTTP/1.0, X: y, true",
        "HTTP/1.0, Connection: Keep-Alive, false",
    })
    void the_parser_knows_whether_the_server_will_close(
            String version, String header, boolean closes) {
        parser.start(false);
        read(version + " 200 OK\r\n" + header + "\r\nContent-Length: 0\r\n\r\n");
        assertThat(parser.ended()).isTrue();
        assertThat(parser.closes()).isEqualTo(closes);
    }

    @Test
    void the_end_of_the_stream_ends_only_an_answer_without_length() {
        parser.start(false);
        read(OK + "\r\nany length of");
        assertThat(parser.ended()).isFalse();
        assertThat(parser.endOfStream()).isTrue();
        assertThat(parser.closes()).isTrue();

        parser.start(false);
        read(OK + "Content-Length: 5\r\n\r\nhell");
        assertThat(parser.endOfStream()).isFalse();

        parser.start(false);
        read(OK + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
        assertThat(parser.endOfStream()).isFalse();
    }

    @Test
    void the_answer_to_head_has_no_body() {
        parser.start(true);
        read(OK + "Content-Length: 500\r\n\r\n");
        assertThat(parser.ended()).isTrue();
        assertThat(parser.status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X: y\r\n", "x", "HTTP"})
    void an_endless_head_is_malformed_within_a_bound(String piece) {
        parser.start(false);
        read(piece.equals("HTTP") ? "" : OK + "A: ");
        String endless = piece.equals("HTTP") ? "HTTP/1.1 100 Continue\r\n\r\n" : piece;
        int pieces = ResponseParser.HEAD_BYTES_MAX / endless.length() + 2;
        for (int i = 0; i < pieces && !parser.ended(); i++) {
            read(endless);
        }
        assertThat(parser.malformed()).isTrue();
    }

    @Test
    void random_bytes_and_damaged_answers_neither_crash_nor_stall_the_parser() {
        Random random = new Random(20261120);
        byte[] sample =
                (OK
                                + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                                + "5\r\nhello\r\n0\r\nA: b\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
        for (int round = 0; round < 200_000; round++) {
            byte[] bytes = round % 4 == 0 ? new byte[random.nextInt(200)] : sample.clone();
            if (round % 4 == 0) {
                random.nextBytes(bytes);
            } else {
                for (int i = 0; i <= round % 3; i++) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
            }
            Memory.putBytes(memory, bytes);
            parser.start(random.nextBoolean());
            int at = 0;
            while (at < bytes.length && !parser.ended()) {
                int piece = 1 + random.nextInt(bytes.length - at);
                int used = parser.read(memory + at, piece);
                assertThat(used > 0 && used <= piece && (used == piece || parser.ended())).isTrue();
                at += used;
            }
            parser.endOfStream();
        }
    }

    private int read(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        Memory.putBytes(memory, bytes);
        return parser.read(memory, bytes.length);
    }
}
