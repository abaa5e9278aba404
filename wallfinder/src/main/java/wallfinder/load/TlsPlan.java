package wallfinder.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Header;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.TlsSpec;
import wallfinder.experiment.UsageException;

/// Everything a handshake needs to know.
///
/// @param host name or address that the certificate must be for
/// @param named whether `host` is a name, which is sent to the server (SNI, RFC 6066)
/// @param trust null: any certificate is trusted
/// @param trusted which certificates are trusted, in words
/// @param library of the load, and of a handshake before it that succeeds ([TlsProbe])
public record TlsPlan(
        String host,
        int port,
        boolean named,
        @Nullable String version,
        boolean resumption,
        @Nullable PrivateKey key,
        List<X509Certificate> chain,
        @Nullable X509ExtendedTrustManager trust,
        String trusted,
        TlsLibrary library) {
    static final String HTTP_1_1 = "http/1.1";

    /// Where distributions keep the system's trusted certificates in one file.
    private static final List<Path> SYSTEM_BUNDLES =
            Stream.of(
                            "/etc/ssl/certs/ca-certificates.crt",
                            "/etc/pki/tls/certs/ca-bundle.crt",
                            "/etc/ssl/ca-bundle.pem",
                            "/etc/ssl/cert.pem")
                    .map(Path::of)
                    .toList();

    /// Reads the files.
    ///
    /// @param urlHost a name, or an address without brackets
    /// @param hostHeader names the server if the URL has only its address
    /// @throws UsageException if a file cannot be used
    public static TlsPlan of(TlsSpec spec, String urlHost, int port, @Nullable String hostHeader) {
        String host = host(urlHost, hostHeader);
        String cert = spec.cert();
        String keyFile = spec.key() == null ? cert : spec.key();
        String ca = spec.ca();
        Trust trust =
                spec.insecure() ? ANYBODY : ca == null ? SystemTrust.READ : trust(Path.of(ca));
        return new TlsPlan(
                host,
                port,
                !literal(host),
                spec.version() == null ? null : "TLSv" + spec.version(),
                spec.resumption(),
                keyFile == null
                        ? null
                        : Pem.key(spec.key() == null ? "--cert" : "--key", Path.of(keyFile)),
                cert == null ? List.of() : Pem.certificates("--cert", Path.of(cert)),
                trust.judge,
                trust.words,
                TlsLibrary.ofSystem());
    }

    TlsPlan with(TlsLibrary other) {
        return new TlsPlan(
                host, port, named, version, resumption, key, chain, trust, trusted, other);
    }

    private static String host(String urlHost, @Nullable String hostHeader) {
        if (hostHeader == null || !literal(urlHost)) {
            return urlHost;
        }
        String name = hostHeader.replaceFirst(":[0-9]*$", "");
        return literal(name) || name.isEmpty() ? urlHost : name;
    }

    /// Whether this is an IPv4 or IPv6 address: no name ends with a number or has a colon.
    private static boolean literal(String host) {
        return host.indexOf(':') >= 0 || host.matches("(.*\\.)?[0-9]+");
    }

    private record Trust(@Nullable X509ExtendedTrustManager judge, String words) {}

    private static final Trust ANYBODY = new Trust(null, "any certificate");

    /// More than a hundred certificates: read once, and only if needed.
    private static final class SystemTrust {
        static final Trust READ = system();
    }

    private static Trust system() {
        for (Path bundle : SYSTEM_BUNDLES) {
            if (Files.isReadable(bundle)) {
                return trust(bundle);
            }
        }
        return new Trust(judge(null), "the certificates of the JDK");
    }

    private static Trust trust(Path file) {
        List<X509Certificate> certificates = Pem.certificates("--cacert", file);
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < certificates.size(); i++) {
                store.setCertificateEntry("ca-" + i, certificates.get(i));
            }
            return new Trust(judge(store), "those of " + file);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("the JDK cannot make a key store in memory", e);
        }
    }

    private static X509ExtendedTrustManager judge(@Nullable KeyStore store) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot check certificates", e);
        }
    }

    TlsIdentity identity() {
        return new TlsIdentity(key, chain);
    }

    SSLContext context(TlsIdentity identity, TlsWitness witness) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {identity}, new TrustManager[] {witness}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    SSLParameters parameters() {
        SSLParameters parameters = new SSLParameters();
        parameters.setApplicationProtocols(new String[] {HTTP_1_1});
        parameters.setProtocols(
                version == null ? new String[] {"TLSv1.3", "TLSv1.2"} : new String[] {version});
        if (trust != null) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        parameters.setServerNames(named ? List.of(sni()) : List.of());
        return parameters;
    }

    /// The name without the dot at the end that makes it absolute.
    String serverName() {
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    private SNIHostName sni() {
        try {
            return new SNIHostName(serverName());
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "the host name " + host + " cannot be used with TLS",
                    String.valueOf(e.getMessage()),
                    "use a name of letters, digits, hyphens and dots, or the address");
        }
    }

    /// The Host header of the first request, unless it has variables.
    public static @Nullable String hostHeader(List<RequestSpec> requests) {
        return requests.getFirst().headers().stream()
                .filter(header -> header.is("host"))
                .map(Header::value)
                .filter(value -> value.indexOf('{') < 0)
                .findFirst()
                .orElse(null);
    }
}
