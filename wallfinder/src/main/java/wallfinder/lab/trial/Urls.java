package wallfinder.lab.trial;

import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.InvalidPathException;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.experiment.WebUrl;
import wallfinder.linux.UnixSocket;
import wallfinder.load.EngineThreads;
import wallfinder.load.LoadPlan;
import wallfinder.load.RequestMix;
import wallfinder.load.Sources;
import wallfinder.load.TlsPlan;
import wallfinder.load.Variables;

/// Parses URLs and makes load plans from them.
public final class Urls {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private Urls() {}

    /// The scheme, the host and the port. The path may contain variables and is only checked.
    public static URI parse(String text) {
        if (!text.contains("://")) {
            throw wrong(text, "it does not begin with http:// or https://");
        }
        WebUrl parts = WebUrl.split(text);
        String problem = WebUrl.problem(parts.path());
        if (problem != null) {
            throw wrong(text, problem);
        }
        if (parts.base().endsWith("://")) {
            throw wrong(text, "it names no host");
        }
        try {
            URI url = new URI(parts.base());
            if (!"http".equalsIgnoreCase(url.getScheme()) && !secure(url)) {
                throw wrong(text, "it does not begin with http:// or https://");
            }
            if (url.getHost() == null) {
                throw wrong(text, "it names no host");
            }
            if (url.getPort() == 0 || url.getPort() > 65_535) {
                throw wrong(text, "there is no port " + url.getPort());
            }
            if (url.getRawUserInfo() != null) {
                throw wrong(text, "names and passwords go in a header (-H 'Authorization: ...')");
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

    public static int port(URI url) {
        return url.getPort() >= 0 ? url.getPort() : secure(url) ? HTTPS_PORT : HTTP_PORT;
    }

    private static boolean secure(URI url) {
        return "https".equalsIgnoreCase(url.getScheme());
    }

    /// Null for plain HTTP.
    static @Nullable TlsPlan tls(LoadSpec.Http http, URI url) {
        return secure(url)
                ? TlsPlan.of(http.tls(), host(url), port(url), TlsPlan.hostHeader(http.requests()))
                : null;
    }

    /// @throws UsageException if the path is not valid for a socket
    static UnixDomainSocketAddress unix(String path) {
        int bytes = UnixSocket.pathBytes(path);
        String why =
                bytes == 0 || path.equals("@")
                        ? "it is empty"
                        : bytes > UnixSocket.PATH_BYTES_MAX
                                ? "it has %d bytes, and the kernel takes %d at most"
                                        .formatted(bytes, UnixSocket.PATH_BYTES_MAX)
                                : path.endsWith("/") ? "it is a folder" : "";
        try {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
            if (why.isEmpty()) {
                return address;
            }
        } catch (InvalidPathException e) {
            why = e.getReason();
        }
        throw new UsageException(
                "the unix socket \"" + path + "\" cannot be used",
                why,
                "give its path, as in /run/app.sock, or @name for an abstract one");
    }

    /// The arrival for another number of connections: an open loop's rate grows with it.
    public static Arrival arrival(LoadSpec.Http http, int connections) {
        return http.arrival() instanceof Arrival.Open open
                ? open.times((double) connections / http.connections())
                : http.arrival();
    }

    public static LoadPlan plan(
            LoadSpec.Http http,
            URI url,
            SocketAddress target,
            int connections,
            Sources sources,
            EngineThreads threads,
            Variables variables) {
        return new LoadPlan(
                target,
                new RequestMix(url.getRawAuthority(), http.requests(), http.cookies(), variables),
                connections,
                http.threads(),
                http.keepalive(),
                arrival(http, connections),
                http.timeouts(),
                http.expect(),
                sources,
                threads,
                tls(http, url));
    }
}
