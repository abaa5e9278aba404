package wallfinder.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;

/// One handshake before a load. An error that would fail every connection is reported once.
///
/// If the load uses OpenSSL, so does this handshake. If that fails, the JDK makes another one,
/// which knows better why.
public final class TlsProbe {
    private static final Duration HANDSHAKE_MAX = Duration.ofSeconds(5);

    /// In TLS 1.3 a server sees the client's certificate after the client has finished. Its refusal
    /// comes later or never.
    private static final Duration REFUSAL_MAX = Duration.ofMillis(300);

    private static final Duration THREAD_MAX = HANDSHAKE_MAX.multipliedBy(4);
    private static final Pattern ALERT = Pattern.compile("fatal alert: ([a-z_]+)");
    private static final String TRUST_ANYBODY = "or trust any certificate with --insecure";
    private static final int NAMES_MAX = 5;

    private final InetSocketAddress target;
    private final TlsPlan plan;
    private final TlsIdentity identity;
    private final TlsWitness witness;

    private TlsProbe(InetSocketAddress target, TlsPlan plan) {
        this.target = target;
        this.plan = plan;
        identity = plan.identity();
        witness = new TlsWitness(plan.trust());
    }

    /// Connects from the calling thread's place.
    ///
    /// @throws EnvironmentException if nothing accepts a connection, or no handshake succeeds
    public static void shake(InetSocketAddress target, TlsPlan plan) {
        new TlsProbe(target, plan).shake();
    }

    /// Connects from where the load will run. Does nothing for plain HTTP.
    ///
    /// @throws EnvironmentException if nothing accepts a connection, or no handshake succeeds
    public static void shake(LoadPlan load) {
        TlsPlan plan = load.tls();
        if (plan == null || !(load.target() instanceof InetSocketAddress target)) {
            return;
        }
        ClientThread.run(load.engineThreads(), THREAD_MAX, () -> shake(target, plan));
    }

    private void shake() {
        try {
            if (plan.library() == TlsLibrary.OPENSSL && succeedsInOpenSsl()) {
                return;
            }
            try (Socket socket = new Socket(Proxy.NO_PROXY)) {
                connect(socket);
                shake(socket);
            }
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private boolean succeedsInOpenSsl() throws IOException {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            connect(socket);
            socket.setSoTimeout((int) HANDSHAKE_MAX.toMillis());
            return OpenSslHandshake.succeeds(socket, plan);
        } catch (SocketTimeoutException e) {
            throw e; // the JDK would wait as long
        } catch (IOException _) {
            return false;
        }
    }

    private void connect(Socket socket) {
        try {
            socket.connect(target, (int) HANDSHAKE_MAX.toMillis());
        } catch (IOException e) {
            throw new EnvironmentException(
                    "nothing answers at " + where(),
                    String.valueOf(e.getMessage()),
                    "start the service, or check the address and the port");
        }
    }

    private void shake(Socket socket) throws IOException {
        var factory = plan.context(identity, witness).getSocketFactory();
        try (SSLSocket tls =
                (SSLSocket) factory.createSocket(socket, plan.host(), plan.port(), true)) {
            tls.setSSLParameters(plan.parameters());
            tls.setSoTimeout((int) HANDSHAKE_MAX.toMillis());
            tls.startHandshake();
            if (identity.asked) {
                awaitRefusal(tls);
            }
        }
    }

    private static void awaitRefusal(SSLSocket tls) throws IOException {
        tls.setSoTimeout((int) REFUSAL_MAX.toMillis());
        try {
            if (tls.getInputStream().read() < 0) {
                throw new EOFException("closed after the handshake");
            }
        } catch (SocketTimeoutException _) {
            return; // the server waits for a request
        }
    }

    private EnvironmentException explained(IOException e) {
        EnvironmentException certificate = certificate(e);
        if (certificate != null) {
            return certificate;
        }
        Matcher alert = ALERT.matcher(String.valueOf(e.getMessage()));
        if (alert.find()) {
            return alerted(alert.group(1));
        }
        String message = String.valueOf(e.getMessage());
        if (e instanceof SocketTimeoutException) {
            return error(
                    " accepts connections but does not answer the handshake",
                    "no answer came within %d s".formatted(HANDSHAKE_MAX.toSeconds()),
                    "check whether the service hangs, and whether this port speaks TLS");
        }
        if (message.startsWith("Unsupported or unrecognized SSL message")) {
            return error(
                    " does not speak TLS",
                    "its answer to the handshake is not TLS",
                    "write http:// in the URL, or check the port");
        }
        if (!closed(e)) {
            return error(" and this client cannot agree on TLS", message, "see --tls");
        }
        return identity.asked
                ? clientRefused("it closed the connection when it got no valid certificate")
                : error(
                        " closes the connection during the handshake",
                        "it gave no reason",
                        "see the log of the server");
    }

    private static boolean closed(IOException e) {
        return !(e instanceof SSLException)
                || causes(e).anyMatch(cause -> cause instanceof EOFException)
                || causes(e).anyMatch(cause -> cause instanceof SocketException)
                || String.valueOf(e.getMessage()).contains("terminated the handshake");
    }

    private EnvironmentException clientRefused(String why) {
        return error(
                identity.known()
                        ? " refuses the client certificate"
                        : " requires a client certificate",
                why,
                identity.known()
                        ? "pass one that the server trusts with --cert FILE and --key FILE"
                        : "pass one with --cert FILE and --key FILE");
    }

    private EnvironmentException error(String what, String why, String todo) {
        return new EnvironmentException(where() + what, why, todo);
    }

    private String where() {
        return plan.host() + ":" + target.getPort();
    }

    private static Stream<Throwable> causes(Throwable e) {
        List<Throwable> all = new ArrayList<>();
        for (Throwable cause = e; cause != null && !all.contains(cause); cause = cause.getCause()) {
            all.add(cause);
        }
        return all.stream();
    }

    /// Explains why the server's certificate is not trusted; null for other errors.
    private @Nullable EnvironmentException certificate(IOException e) {
        X509Certificate[] chain = witness.chain;
        if (chain == null || causes(e).noneMatch(CertificateException.class::isInstance)) {
            return null;
        }
        String what = "the certificate of " + where() + " is not trusted";
        if (has(e, CertificateExpiredException.class)) {
            return new EnvironmentException(
                    what,
                    "it, or another certificate of its chain, has expired: " + validity(chain),
                    "renew it, " + TRUST_ANYBODY);
        }
        if (has(e, CertificateNotYetValidException.class)) {
            return new EnvironmentException(
                    what,
                    "it, or another certificate of its chain, is not valid yet: " + validity(chain),
                    "check the clocks of both hosts, " + TRUST_ANYBODY);
        }
        if (has(e, CertPathBuilderException.class)) {
            return new EnvironmentException(
                    what,
                    "no trusted certificate (%s) has signed it; its issuer is %s"
                            .formatted(
                                    plan.trusted(),
                                    chain[chain.length - 1].getIssuerX500Principal()),
                    "name the issuer's certificate with --cacert FILE, " + TRUST_ANYBODY);
        }
        String message = causes(e).reduce((_, last) -> last).orElseThrow().getMessage();
        boolean name = String.valueOf(message).matches("No (subject alternative|name matching).*");
        return new EnvironmentException(
                what,
                name
                        ? "it is for %s, not for %s".formatted(names(chain[0]), plan.host())
                        : String.valueOf(message),
                name
                        ? "use a name of the certificate in the URL, or an address with -H 'Host:"
                                + " NAME', "
                                + TRUST_ANYBODY
                        : "get a valid one, " + TRUST_ANYBODY);
    }

    private static boolean has(IOException e, Class<? extends Exception> type) {
        return causes(e).anyMatch(type::isInstance);
    }

    private static String validity(X509Certificate[] chain) {
        return "that of the server is valid from %tF to %tF"
                .formatted(chain[0].getNotBefore(), chain[0].getNotAfter());
    }

    private static String names(X509Certificate certificate) {
        try {
            var names = certificate.getSubjectAlternativeNames();
            if (names != null) {
                List<String> all = names.stream().map(name -> String.valueOf(name.get(1))).toList();
                String first = String.join(", ", all.subList(0, Math.min(NAMES_MAX, all.size())));
                return all.size() > NAMES_MAX ? first + " and others" : first;
            }
        } catch (CertificateParsingException _) {
            // The subject is used instead.
        }
        return certificate.getSubjectX500Principal().getName();
    }

    private EnvironmentException alerted(String alert) {
        if (identity.asked && !alert.startsWith("protocol") && !alert.startsWith("no_")) {
            return clientRefused("it ended the handshake with the alert " + alert);
        }
        String why = "it ended the handshake with the alert " + alert;
        return switch (alert) {
            case "protocol_version" ->
                    error(
                            " does not speak this version of TLS",
                            why,
                            "omit --tls, or choose another version; TLS before 1.2 is not supported");
            case "no_application_protocol" ->
                    error(
                            " does not speak HTTP/1.1 over TLS",
                            why,
                            "let the server offer http/1.1 in ALPN: HTTP/2 is not supported yet");
            case "unrecognized_name" ->
                    error(
                            " does not know this host name",
                            why,
                            "use a name that the server has a certificate for");
            default -> error(" refuses the handshake", why, "see the server's log, and --tls");
        };
    }
}
