package wallfinder.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.LiveJson;
import wallfinder.live.LiveState;
import wallfinder.live.Moment;
import wallfinder.report.Page;

/// Serves the live view to browsers on this host, by server-sent events. At the end of the run the
/// page in the browser becomes the report.
///
/// It listens on the loopback address only, and answers only requests whose path has a token that
/// changes with each run. A request for another host is refused, so that no page of the web can
/// read the view through a name that leads here.
public final class WebView implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int TOKEN_BYTES = 16;
    private static final int BROWSERS_MAX = 16;
    private static final int SAID_MAX = 500;

    /// A browser that takes nothing for this long does not get the report.
    private static final long END_SECONDS = 3;

    private static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
                    + " connect-src 'self'; img-src data:";

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final HttpServer server;
    private final String root;
    private final AtomicReference<LiveState> state;
    private final List<String> said = new ArrayList<>();
    private final Set<EventStream> browsers = ConcurrentHashMap.newKeySet();
    private final ExecutorService executor =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("web-view-", 0).factory());

    private WebView(HttpServer server, String command) {
        this.server = server;
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        root = "/" + HexFormat.of().formatHex(token) + "/";
        state = new AtomicReference<>(LiveState.begin(command, System.nanoTime()));
        server.createContext("/", this::handle);
        server.setExecutor(executor);
        server.start();
    }

    /// @param command the command line
    /// @param port 0 for any that is free
    /// @throws EnvironmentException if the port cannot be used
    public static WebView open(String command, int port) {
        try {
            InetAddress loopback = InetAddress.ofLiteral(LOOPBACK);
            return new WebView(
                    HttpServer.create(new InetSocketAddress(loopback, port), 0), command);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "--web " + port + " cannot be used",
                    String.valueOf(e.getMessage()),
                    "name another port, or none for any that is free");
        }
    }

    public String url() {
        return "http://" + LOOPBACK + ":" + port() + root;
    }

    private int port() {
        return server.getAddress().getPort();
    }

    /// How many browsers show the view.
    int browsers() {
        return browsers.size();
    }

    public void change(UnaryOperator<LiveState> change) {
        state.updateAndGet(change);
    }

    /// A line that stays.
    public void say(String line) {
        synchronized (said) {
            if (said.size() == SAID_MAX) {
                said.removeFirst();
            }
            said.add(line);
            browsers.forEach(browser -> browser.add(event("said", line)));
        }
    }

    /// Replaces the view by a page, in each browser that shows it.
    public void finish(String html) {
        end(event("page", html));
    }

    private void end(String event) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        browsers.forEach(browser -> browser.addLast(event));
        browsers.forEach(browser -> browser.awaitEnd(until));
    }

    /// Browsers that still show the view say that the run has ended.
    @Override
    public void close() {
        end(event("end", ""));
        server.stop(0);
        executor.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (!isForUs(exchange)) {
                answer(exchange, 403, "text/plain", "the view is only for browsers on this host\n");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                answer(exchange, 405, "text/plain", "only GET\n");
            } else if (path.equals(root)) {
                answer(exchange, 200, "text/html; charset=utf-8", page());
            } else if (path.equals(root + "events")) {
                stream(exchange);
            } else {
                answer(exchange, 404, "text/plain", "nothing is here: the URL has a token\n");
            }
        }
    }

    private boolean isForUs(HttpExchange exchange) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        return (LOOPBACK + ":" + port()).equals(host) || ("localhost:" + port()).equals(host);
    }

    private static void answer(HttpExchange exchange, int status, String type, String text)
            throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        headers(exchange, type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static void headers(HttpExchange exchange, String type) {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        headers.set("Content-Security-Policy", POLICY);
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("X-Content-Type-Options", "nosniff");
    }

    private void stream(HttpExchange exchange) throws IOException {
        if (browsers.size() >= BROWSERS_MAX) {
            answer(exchange, 503, "text/plain", "too many browsers show this view\n");
            return;
        }
        headers(exchange, "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody());
                EventStream browser = new EventStream(out)) {
            synchronized (said) {
                said.forEach(line -> browser.add(event("said", line)));
                browsers.add(browser);
            }
            browser.run(this::now, Moment.INTERVAL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            browsers.removeIf(EventStream::isClosed);
        }
    }

    private String now() {
        return event("state", new LiveJson(state.get(), System.nanoTime()).of());
    }

    /// JSON has no line break outside of strings, and escapes those inside.
    private static String event(String name, Object data) {
        return "event: %s\ndata: %s\n\n".formatted(name, MAPPER.writeValueAsString(data));
    }

    /// The page with the state of this moment, so that it is never empty.
    private String page() throws IOException {
        String first = MAPPER.writeValueAsString(new LiveJson(state.get(), System.nanoTime()).of());
        return resource("live.html")
                .replace("/*style*/", Page.style() + resource("live.css"))
                .replace("/*script*/", resource("live.js"))
                .replace("/*first*/", Page.inScript(first));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(WebView.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
