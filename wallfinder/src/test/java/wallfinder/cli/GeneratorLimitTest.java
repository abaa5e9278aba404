package wallfinder.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The generator at its speed limit: each answer has many tiny chunks, which one thread parses byte
/// by byte, while the server sends them with one call.
@Tag("slow")
@Tag("sandbox")
@Timeout(120)
class GeneratorLimitTest {
    private static final int CHUNKS = 60_000;
    private static final byte[] ANSWER =
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "1\r\nx\r\n".repeat(CHUNKS)
                            + "0\r\n\r\n")
                    .getBytes(US_ASCII);
    private static final String INVALID = "Invalid: the load generator was the wall";

    /// Other programs may take the CPU of the generator, so that half the rate is the limit, too,
    /// or that of the server, so that the generator is not the limit. Then the test retries.
    private static final int ATTEMPTS_MAX = 5;

    private static final String ONLY = "generator's threads waited for answers in only";

    @TempDir Path folder;
    private Program program;
    private ServerSocket listener;

    @BeforeEach
    void start() throws IOException {
        program = new Program(folder);
        listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(this::accept);
    }

    @AfterEach
    void end() throws IOException {
        listener.close();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // The listener was closed.
        }
    }

    /// A request comes in one piece.
    private static void serve(Socket socket) {
        byte[] request = new byte[4096];
        try (socket) {
            while (socket.getInputStream().read(request) > 0) {
                socket.getOutputStream().write(ANSWER);
            }
        } catch (IOException e) {
            // The client closed.
        }
    }

    private Program.Ended load(String... options) throws Exception {
        String[] words = new String[options.length + 2];
        words[0] = "load";
        words[1] = "http://127.0.0.1:" + listener.getLocalPort() + "/";
        System.arraycopy(options, 0, words, 2, options.length);
        return program.run(words);
    }

    @Test
    @Tag("long")
    void a_rate_above_the_generators_limit_is_invalid_and_half_of_the_limit_is_not()
            throws Exception {
        Program.Ended flatOut = load("-R", "5M", "-c", "32", "-d", "2s").done(4);
        assertThat(flatOut.out()).contains(INVALID, ONLY);
        Matcher answered =
                Pattern.compile("answered in [^:]+: ([0-9,.]+)/s").matcher(flatOut.out());
        assertThat(answered.find()).as(flatOut.out()).isTrue();
        double most = Double.parseDouble(answered.group(1).replace(",", ""));

        String half = Double.toString(Math.max(1, Math.rint(most / 2)));
        String out = load("-R", half, "-c", "32", "-d", "2s").measured().out();
        for (int attempt = 2; attempt <= ATTEMPTS_MAX && out.contains(ONLY); attempt++) {
            out = load("-R", half, "-c", "32", "-d", "2s").measured().out();
        }
        assertThat(out).doesNotContain(ONLY);
    }

    @Test
    void a_closed_loop_at_the_generators_limit_is_invalid() throws Exception {
        Program.Ended ended = load("-c", "32", "-d", "2s").measured();
        for (int attempt = 2; attempt <= ATTEMPTS_MAX && ended.code() == 0; attempt++) {
            ended = load("-c", "32", "-d", "2s").measured();
        }
        assertThat(ended.done(4).out()).contains(INVALID, ONLY);
    }
}
