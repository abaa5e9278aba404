package wallfinder.sandbox;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;

/// Checks whether a service is ready. Must be used on a thread in the service's namespace.
final class ReadinessProbe {
    private static final int CONNECT_MILLIS_MAX = 1_000;
    private static final int ANSWER_MILLIS_MAX = 5_000;
    private static final int STATUS_BAD = 400;

    private final Readiness ready;
    private final ServiceLog log;
    private String lastAnswer = "none";
    private long logFrom;

    /// @param ready without placeholders, made by [#expanded]
    ReadinessProbe(Readiness ready, ServiceLog log) {
        this.ready = ready;
        this.log = log;
        this.logFrom = log.start();
    }

    /// Fills in the placeholders and checks the syntax.
    static Readiness expanded(Readiness given, Map<String, String> names) {
        return switch (given) {
            case Readiness.Url url -> {
                String text = CommandLine.expand(url.url(), names);
                checkUrl(text);
                yield new Readiness.Url(text);
            }
            case Readiness.Tcp tcp -> {
                String port = CommandLine.expand(tcp.port(), names);
                checkPort(port);
                yield new Readiness.Tcp(CommandLine.expand(tcp.host(), names), port);
            }
            case Readiness.Log line -> new Readiness.Log(CommandLine.expand(line.text(), names));
        };
    }

    private static void checkUrl(String text) {
        try {
            URI uri = URI.create(text);
            if (uri.getHost() != null && uri.getScheme().matches("https?")) {
                return;
            }
        } catch (IllegalArgumentException e) {
            // The message below quotes the text.
        }
        throw new UsageException(
                "the readiness URL \"" + text + "\" cannot be used",
                "it is not of the form http://HOST:PORT/PATH",
                "use this form; {server} is the server's address");
    }

    private static void checkPort(String port) {
        if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new UsageException(
                    "the readiness port \"" + port + "\" cannot be used",
                    "it is not a number from 1 to 65535",
                    "write tcp://HOST:PORT");
        }
    }

    /// Refuses a port on which another program listens, because its answers would be mistaken for
    /// the service's. Called before the service starts.
    static void checkFree(String service, Readiness ready) {
        Optional<Readiness.Tcp> port =
                switch (ready) {
                    case Readiness.Url url -> Optional.of(portOf(URI.create(url.url())));
                    case Readiness.Tcp tcp -> Optional.of(tcp);
                    case Readiness.Log line -> Optional.empty();
                };
        if (port.isPresent() && listens(port.get())) {
            throw new EnvironmentException(
                    "the service " + service + " cannot be started",
                    "another program listens on " + port.get().host() + ":" + port.get().port(),
                    "stop it (ss -ltnp shows which it is), or choose another port");
        }
    }

    private static Readiness.Tcp portOf(URI uri) {
        int standard = uri.getScheme().equals("https") ? 443 : 80;
        int port = uri.getPort() < 0 ? standard : uri.getPort();
        return new Readiness.Tcp(uri.getHost(), Integer.toString(port));
    }

    private static boolean listens(Readiness.Tcp port) {
        try {
            return accepts(port);
        } catch (SocketTimeoutException e) {
            return true; // without a listener, the kernel refuses at once
        } catch (IOException e) {
            return false;
        }
    }

    /// The condition in words.
    String condition() {
        return switch (ready) {
            case Readiness.Url url -> "GET " + url.url() + " answers below 400";
            case Readiness.Tcp tcp -> tcp.host() + ":" + tcp.port() + " accepts";
            case Readiness.Log line -> "its output contains \"" + line.text() + "\"";
        };
    }

    /// The result of the last attempt in words.
    String lastAnswer() {
        return lastAnswer;
    }

    boolean isReady() {
        try {
            return switch (ready) {
                case Readiness.Url url -> answers(url);
                case Readiness.Tcp tcp -> accepts(tcp);
                case Readiness.Log line -> wrote(line);
            };
        } catch (IOException e) {
            lastAnswer = String.valueOf(e.getMessage());
            return false;
        }
    }

    /// `HttpURLConnection` works on the calling thread and so in its namespace. `HttpClient` has
    /// other threads.
    private boolean answers(Readiness.Url url) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url.url()).toURL().openConnection(Proxy.NO_PROXY);
        try {
            connection.setConnectTimeout(CONNECT_MILLIS_MAX);
            connection.setReadTimeout(ANSWER_MILLIS_MAX);
            connection.setInstanceFollowRedirects(false);
            connection.setRequestProperty("Connection", "close");
            int status = connection.getResponseCode();
            lastAnswer = "status " + status;
            return status > 0 && status < STATUS_BAD;
        } finally {
            connection.disconnect();
        }
    }

    private static boolean accepts(Readiness.Tcp tcp) throws IOException {
        InetSocketAddress address = new InetSocketAddress(tcp.host(), Integer.parseInt(tcp.port()));
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(address, CONNECT_MILLIS_MAX);
            return true;
        }
    }

    private boolean wrote(Readiness.Log line) throws IOException {
        lastAnswer = "the output does not contain it yet";
        long next = log.find(line.text(), logFrom);
        logFrom = Math.max(logFrom, next);
        return next < 0;
    }
}
