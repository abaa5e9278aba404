package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs the examples of `docs/targets.md` against a server that records its requests.
@Timeout(200)
@Tag("slow")
class TargetsPageTest {
    private static final Pattern CODE = Pattern.compile("```\\w*\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LENGTH = Pattern.compile("Content-Length: (\\d+)");
    private static final byte[] ANSWER =
            "HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ConcurrentLinkedQueue<String> got = new ConcurrentLinkedQueue<>();
    @TempDir private Path folder;
    private Program program;
    private ServerSocket server;

    @BeforeEach
    void start() throws IOException {
        program = new Program(folder);
        serve(InetAddress.getLoopbackAddress());
    }

    private void serve(InetAddress address) throws IOException {
        server = new ServerSocket(0, 128, address);
        Thread.ofVirtual().start(() -> accept(server));
    }

    private void accept(ServerSocket listener) {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofVirtual().start(() -> answer(socket));
            }
        } catch (IOException e) {
            // The listener was closed.
        }
    }

    private void answer(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (String head = head(in); !head.isEmpty(); head = head(in)) {
                Matcher length = LENGTH.matcher(head);
                byte[] body = in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
                String line = head.substring(0, head.indexOf(" HTTP/1.1"));
                got.add(line + " " + new String(body, StandardCharsets.UTF_8));
                socket.getOutputStream().write(ANSWER);
            }
        } catch (IOException e) {
            // The client closed.
        }
    }

    /// Empty at the end of the stream.
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return "";
            }
            head.append((char) c);
        }
        return head.toString();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        program.assertNothingLeft();
    }

    private String url() {
        boolean ipv6 = server.getInetAddress() instanceof Inet6Address;
        return "http://" + (ipv6 ? "[::1]" : "127.0.0.1") + ":" + server.getLocalPort();
    }

    @Test
    void the_example_of_the_page_runs_and_the_server_receives_every_request() throws Exception {
        List<String> examples =
                CODE.matcher(Files.readString(Program.ROOT.resolve("docs/targets.md")))
                        .results()
                        .map(found -> found.group(1))
                        .toList();
        Files.writeString(program.file("shop.txt"), examples.get(0));
        String[] words = examples.get(1).strip().split(" ");
        assertThat(words).startsWith("bin/wallfinder", "load", "http://127.0.0.1:8080");
        words[2] = url();
        words[words.length - 2] = "-n";
        words[words.length - 1] = "200";
        Program.Ended ended =
                program.run(List.of(words).subList(1, words.length).toArray(String[]::new));
        assertThat(ended.measured().out())
                .containsPattern("request +answers +errors +p50 +p99")
                .containsPattern("GET /items/\\{random:1-\\d+} +160 +0 ")
                .containsPattern("PUT /items/\\{counter} +20 +0 ");
        assertThat(got).hasSize(200);
        assertThat(count("GET /items/\\d{1,3} ")).isEqualTo(160);
        assertThat(count("DELETE /items/\\d{1,3} ")).isEqualTo(20);
        for (int id = 1; id <= 20; id++) {
            String put = "PUT /items/%1$d \\{\"id\": %1$d, \"price\": \\d{3,4}}".formatted(id);
            assertThat(count(put)).as(put).isEqualTo(1);
        }
    }

    private long count(String form) {
        return got.stream().filter(request -> request.matches(form)).count();
    }

    @Test
    void the_server_and_the_report_count_the_number_of_requests_that_was_asked_for()
            throws Exception {
        server.close();
        serve(InetAddress.getByName("::1"));
        Path body = Files.writeString(program.file("body"), "all of it");
        Path json = program.file("n.json");
        program.run(
                        "load",
                        url() + "/a/{counter}",
                        "-n",
                        "321",
                        "-c",
                        "7",
                        "-t",
                        "2",
                        "-m",
                        "POST",
                        "-b",
                        "@" + body,
                        "--json",
                        json.toString())
                .measured();
        assertThat(got).hasSize(321).allMatch(request -> request.endsWith(" all of it"));
        assertThat(got.stream().distinct()).hasSize(321);
        Matcher requests =
                Pattern.compile("\"requests\" *: *(\\d+)").matcher(Files.readString(json));
        assertThat(requests.find()).isTrue();
        assertThat(requests.group(1)).isEqualTo("321");
    }
}
