package wallfinder.lab;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.load.EngineThreads;
import wallfinder.load.LoadPlan;
import wallfinder.load.Request;
import wallfinder.load.Sources;
import wallfinder.load.TlsPlan;

/// URLs, and the plans made of them.
final class Urls {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private Urls() {}

    static URI parse(String text) {
        if (!text.contains("://")) {
            throw wrong(text, "it does not begin with http:// or https://");
        }
        try {
            URI url = new URI(text);
            if (!"http".equalsIgnoreCase(url.getScheme()) && !secure(url)) {
                throw wrong(text, "it does not begin with http:// or https://");
            }
            if (url.getHost() == null) {
                throw wrong(text, "it names no host");
            }
            if (url.getPort() == 0 || url.getPort() > 65_535) {
                throw wrong(text, "there is no port " + url.getPort());
            }
            return url;
        } catch (URISyntaxException e) {
            throw wrong(text, e.getReason() + " at character " + (e.getIndex() + 1));
        }
    }

    private static UsageException wrong(String text, String why) {
        return new UsageException(
                "the URL \"" + text + "\" cannot be used",
                why,
                "write it as in http://127.0.0.1:8080/path");
    }

    /// The host without the brackets of an IPv6 address.
    static String host(URI url) {
        String host = url.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    static int port(URI url) {
        return url.getPort() >= 0 ? url.getPort() : secure(url) ? HTTPS_PORT : HTTP_PORT;
    }

    static boolean secure(URI url) {
        return "https".equalsIgnoreCase(url.getScheme());
    }

    /// Null for plain HTTP.
    static @Nullable TlsPlan tls(LoadSpec.Http http, URI url) {
        return secure(url)
                ? TlsPlan.of(http.tls(), host(url), port(url), TlsPlan.hostHeader(http.headers()))
                : null;
    }

    /// More connections than were asked for are more load: an open loop then has more to send.
    private static Arrival arrival(LoadSpec.Http http, int connections) {
        return http.arrival() instanceof Arrival.Open open
                ? open.times((double) connections / http.connections())
                : http.arrival();
    }

    static LoadPlan plan(
            LoadSpec.Http http,
            URI url,
            InetSocketAddress target,
            int connections,
            Sources sources,
            EngineThreads threads) {
        String path =
                url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        String body = http.body();
        Request request =
                new Request(
                        http.method(),
                        path + query,
                        url.getRawAuthority(),
                        http.headers(),
                        body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8));
        return new LoadPlan(
                target,
                request,
                connections,
                http.threads(),
                http.keepalive(),
                arrival(http, connections),
                http.timeout(),
                sources,
                threads,
                tls(http, url));
    }
}
