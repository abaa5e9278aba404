package wallfinder.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.LiveStates;
import wallfinder.record.SampleRun;
import wallfinder.report.Browser;
import wallfinder.report.Page;

/// The view is served to real clients and a real browser.
@Timeout(180)
class WebViewTest {
    private final WebView web = WebView.open("wallfinder find <b>x</b>.yaml", 0);

    @TempDir Path folder;

    @AfterEach
    void close() {
        web.close();
    }

    private static HttpResponse<String> get(String url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create(url)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    /// A client that reads the events of the view until they end.
    private CompletableFuture<List<String>> events() throws Exception {
        CompletableFuture<List<String>> all =
                CompletableFuture.supplyAsync(() -> {
                    try {
                        return get(web.url() + "events").body().lines().toList();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
        awaitBrowser();
        return all;
    }

    private void awaitBrowser() throws InterruptedException {
        while (web.browsers() == 0) {
            Thread.sleep(20);
        }
    }

    @Test
    void the_page_is_only_for_those_who_know_the_token() throws Exception {
        HttpResponse<String> page = get(web.url());
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body())
                .contains("new EventSource", "--rate", "find \\u003cb>x\\u003c/b>.yaml")
                .doesNotContain("/*script*/", "/*first*/");
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'none'"));

        String root = web.url().replaceFirst("/[0-9a-f]{32}/$", "/");
        assertThat(root).isNotEqualTo(web.url());
        for (String other : List.of("", "events", "0".repeat(32) + "/events")) {
            assertThat(get(root + other).statusCode()).as(other).isEqualTo(404);
        }
    }

    /// A page of the web may lead a browser here by a name of its own.
    @Test
    void a_request_for_another_host_is_refused() throws Exception {
        URI url = URI.create(web.url());
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            socket.getOutputStream()
                    .write(
                            "GET %s HTTP/1.1\r\nHost: evil.example:%d\r\nConnection: close\r\n\r\n"
                                    .formatted(url.getPath(), url.getPort())
                                    .getBytes(StandardCharsets.US_ASCII));
            String first =
                    new BufferedReader(
                                    new InputStreamReader(
                                            socket.getInputStream(), StandardCharsets.US_ASCII))
                            .readLine();
            assertThat(first).contains("403");
        }
    }

    @Test
    void the_events_are_the_state_the_lines_and_at_last_the_report() throws Exception {
        web.say("said before");
        web.change(state -> LiveStates.climbing());
        CompletableFuture<List<String>> events = events();
        web.say("said after");
        web.finish("<p>report\n</p>");

        List<String> lines = events.get(30, TimeUnit.SECONDS);
        assertThat(lines)
                .containsSubsequence(
                        "event: said",
                        "data: \"said before\"",
                        "event: said",
                        "data: \"said after\"",
                        "event: page",
                        "data: \"<p>report\\n</p>\"");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("data: {"))
                .first()
                .asString()
                .contains("\"gauges\":[{\"name\":\"", "\"tone\":\"", "\"reached\":[{\"text\":\"");
    }

    @Test
    void a_port_in_use_is_one_clear_error() {
        int taken = URI.create(web.url()).getPort();
        assertThatThrownBy(() -> WebView.open("x", taken))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("--web " + taken + " cannot be used");
    }

    @Test
    @Tag("browser")
    void a_browser_shows_the_view_and_hears_that_the_run_has_ended() throws Exception {
        web.change(state -> LiveStates.climbing());
        web.say("a line <i>of</i> the run");
        CompletableFuture<String> dom = inBrowser();
        awaitBrowser();
        web.close();

        assertThat(dom.get(150, TimeUnit.SECONDS))
                .contains("a line &lt;i&gt;of&lt;/i&gt; the run", "The run has ended.")
                .contains("<polyline points=\"")
                .containsPattern("<div class=\"(good|near|bad)\" style=\"width: [0-9.]+%");
    }

    @Test
    @Tag("browser")
    void the_view_in_a_browser_becomes_the_report() throws Exception {
        web.change(state -> LiveStates.climbing());
        CompletableFuture<String> dom = inBrowser();
        awaitBrowser();
        Path report = folder.resolve("report.html");
        Page.write(SampleRun.fullLadder(), report);
        web.finish(Files.readString(report));

        assertThat(dom.get(150, TimeUnit.SECONDS))
                .contains("data-errors=\"0\"", "The ladder")
                .containsPattern("<canvas[^>]* data-drawn=\"[1-9]");
    }

    private CompletableFuture<String> inBrowser() {
        Browser.assumed(); // here: a skip in the other thread would leave this one waiting
        return CompletableFuture.supplyAsync(() -> {
            try {
                return Browser.dom(URI.create(web.url()), folder);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
