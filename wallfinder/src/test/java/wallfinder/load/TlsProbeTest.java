package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.Consumer;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.TlsSpec;
import wallfinder.linux.EnvironmentException;

/// A fault that would fail every connection of a load is one error before the load.
@Timeout(60)
class TlsProbeTest {
    @TempDir static Path folder;
    private static Certificates certificates;

    @BeforeAll
    static void make() {
        certificates = Certificates.in(folder);
    }

    private static TlsSpec spec(String client, String version) {
        return new TlsSpec(
                certificates.certificate("ca").toString(),
                client == null ? null : certificates.certificate(client).toString(),
                client == null ? null : certificates.key(client).toString(),
                false,
                version,
                true);
    }

    private static ScriptedServer serving(String alias, Consumer<SSLSocket> settings) {
        var context = certificates.server(alias);
        return new ScriptedServer(visit -> {
            ScriptedServer.Visit tls = visit.secured(context, settings);
            while (tls.readRequest()) {
                tls.answer(ScriptedServer.OK);
            }
        });
    }

    private static void shake(ScriptedServer server, TlsSpec spec) {
        shake(server.address(), spec);
    }

    private static void shake(InetSocketAddress target, TlsSpec spec) {
        TlsProbe.shake(target, TlsPlan.of(spec, "localhost", target.getPort(), null));
    }

    private static void refused(ScriptedServer server, TlsSpec spec, String... parts) {
        EnvironmentException error =
                catchThrowableOfType(EnvironmentException.class, () -> shake(server, spec));
        assertThat(error).isNotNull();
        assertThat(error.what() + " | " + error.why() + " | " + error.todo()).contains(parts);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void a_good_server_causes_no_error(String version) {
        try (ScriptedServer server = serving("server", socket -> socket.setNeedClientAuth(true))) {
            assertThatCode(() -> shake(server, spec("client", version))).doesNotThrowAnyException();
            assertThat(server.requests.get()).isZero();
        }
    }

    /// A handshake of the JDK's as well would double the CPU time before the load.
    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void a_good_server_sees_one_handshake(String version) {
        try (ScriptedServer server = serving("server", _ -> {})) {
            assertThatCode(() -> shake(server, spec(null, version))).doesNotThrowAnyException();
            assertThat(server.connections.get()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "stranger, those of, its issuer is CN=stranger, --cacert FILE",
        "elsewhere, 'it is for elsewhere.example, not for localhost', is not trusted, Host:",
        "expired, has expired, that of the server is valid from, renew it",
    })
    void a_certificate_with_a_fault_is_explained(
            String alias, String one, String two, String three) {
        try (ScriptedServer server = serving(alias, _ -> {})) {
            refused(server, spec(null, null), one, two, three, "--insecure");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1.2, , requires a client certificate, pass one with --cert",
        "1.3, , requires a client certificate, pass one with --cert",
        "1.2, stranger, refuses the client certificate, pass one that the server trusts",
        "1.3, stranger, refuses the client certificate, pass one that the server trusts",
    })
    void a_refused_client_is_explained(String version, String client, String what, String todo) {
        try (ScriptedServer server = serving("server", socket -> socket.setNeedClientAuth(true))) {
            refused(server, spec(client, version), what, todo);
        }
    }

    @Test
    void plain_http_on_the_port_is_explained() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.write("HTTP/1.1 400 Bad Request\r\n\r\n");
                    visit.awaitClient();
                })) {
            refused(server, spec(null, null), "does not speak TLS", "write http:// in the URL");
        }
    }

    @Test
    void a_server_without_http_1_1_is_explained() {
        Consumer<SSLSocket> onlyHttp2 =
                socket -> {
                    SSLParameters parameters = socket.getSSLParameters();
                    parameters.setApplicationProtocols(new String[] {"h2"});
                    socket.setSSLParameters(parameters);
                };
        try (ScriptedServer server = serving("server", onlyHttp2)) {
            refused(server, spec(null, null), "does not speak HTTP/1.1 over TLS", "ALPN");
        }
    }

    @Test
    void a_server_with_another_version_is_explained() {
        try (ScriptedServer server =
                serving("server", s -> s.setEnabledProtocols(new String[] {"TLSv1.2"}))) {
            refused(server, spec(null, "1.3"), "does not speak this version", "omit --tls");
        }
    }

    @Test
    void a_server_that_closes_is_explained() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.in.read();
                    visit.socket.shutdownOutput();
                    visit.awaitClient();
                })) {
            refused(server, spec(null, null), "closes the connection during the handshake", "log");
        }
    }

    @Test
    @Tag("slow")
    void a_server_that_stalls_is_explained() {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient)) {
            refused(server, spec(null, null), "does not answer the handshake", "within 5 s");
        }
    }

    @Test
    void a_port_without_a_server_is_explained() {
        EnvironmentException error =
                catchThrowableOfType(
                        EnvironmentException.class,
                        () ->
                                shake(
                                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                                        spec(null, null)));
        assertThat(error.what()).isEqualTo("nothing answers at localhost:1");
    }
}
