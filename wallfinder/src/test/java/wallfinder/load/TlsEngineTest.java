package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.TlsSpec;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Requests;

/// The engine over TLS against the servers of the JDK.
@Timeout(90)
@ParameterizedClass
@CsvSource({"IO_URING, OPENSSL", "EPOLL, JDK"})
@Tag("slow")
class TlsEngineTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Consumer<SSLSocket> AS_IT_IS = _ -> {};

    @TempDir static Path folder;
    private static Certificates certificates;

    @Parameter(0)
    EngineChoice engine;

    @Parameter(1)
    TlsLibrary library;

    @BeforeAll
    static void make() {
        certificates = Certificates.in(folder);
    }

    private static TlsSpec trusting(String version) {
        String ca = certificates.certificate("ca").toString();
        return new TlsSpec(ca, null, null, false, version, true);
    }

    private static TlsSpec trusting() {
        return trusting(null);
    }

    private static TlsPlan plan(TlsSpec spec, InetSocketAddress target) {
        return TlsPlan.of(spec, "localhost", target.getPort(), null);
    }

    private PlanMaker plan(InetSocketAddress target, TlsSpec spec) {
        return new PlanMaker(target).engine(engine).tls(plan(spec, target).with(library));
    }

    private String words(String ofOpenSsl, String ofJdk) {
        return library == TlsLibrary.JDK ? ofJdk : ofOpenSsl;
    }

    private static ScriptedServer serving(SSLContext context, Consumer<SSLSocket> settings) {
        return new ScriptedServer(visit -> {
            ScriptedServer.Visit tls = visit.secured(context, settings);
            while (tls.readRequest()) {
                tls.answer(ScriptedServer.OK);
            }
            tls.socket.close();
        });
    }

    private static ScriptedServer serving() {
        return serving(certificates.server("server"), AS_IT_IS);
    }

    private static LoadOutcome.Tls tls(Requests outcome) {
        assertThat(outcome.tls()).isNotNull();
        return outcome.tls();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void kept_connections_are_counted_as_the_server_counts_them(String version) {
        try (ScriptedServer server = serving()) {
            PlanMaker plan = plan(server.address(), trusting(version)).connections(8).threads(2);
            Requests outcome = SmallLoad.run(plan.make(), 2_000, LONG);
            assertThat(outcome.errors()).as("" + tls(outcome).failure()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(2_000).isEqualTo(server.answers.get());
            assertThat(outcome.connectionsOpened()).isEqualTo(8);
            assertThat(outcome.exchanges().bytesReceived())
                    .isEqualTo(2_000L * ScriptedServer.OK.length());
            assertThat(tls(outcome).protocol()).isEqualTo("TLSv" + version);
            assertThat(tls(outcome).handshakes()).isEqualTo(8);
            assertThat(tls(outcome).handshakeNanos().getMinValue())
                    .isLessThanOrEqualTo(outcome.times().connectNanos().getMinValue());
            assertThat(outcome.times().connectNanos().getTotalCount()).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void a_connection_for_each_request_resumes_all_sessions_but_the_first(String version) {
        try (ScriptedServer server = serving()) {
            resumesAllButTheFirst(server, version);
        }
    }

    /// Then the client has not sent a close_notify when the connection ends.
    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void a_session_is_resumed_if_the_server_ends_the_connection(String version) {
        SSLContext context = certificates.server("server");
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    ScriptedServer.Visit tls = visit.secured(context, AS_IT_IS);
                    tls.readRequest();
                    tls.answer("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end");
                    tls.socket.close();
                })) {
            resumesAllButTheFirst(server, version);
        }
    }

    private void resumesAllButTheFirst(ScriptedServer server, String version) {
        PlanMaker plan = plan(server.address(), trusting(version)).keepalive(false);
        Requests outcome = SmallLoad.run(plan.make(), 50, LONG);
        assertThat(outcome.errors()).as("" + tls(outcome).failure()).isEmpty();
        assertThat(outcome.connectionsOpened()).isEqualTo(50);
        assertThat(server.connections.get()).isEqualTo(50);
        assertThat(tls(outcome).handshakes()).isEqualTo(50);
        assertThat(tls(outcome).resumed()).isEqualTo(49);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void without_resumption_each_handshake_is_full(String version) {
        TlsSpec spec = trusting(version);
        TlsSpec full = new TlsSpec(spec.ca(), null, null, false, version, false);
        try (ScriptedServer server = serving()) {
            Requests outcome =
                    SmallLoad.run(plan(server.address(), full).keepalive(false).make(), 20, LONG);
            assertThat(outcome.errors()).as("" + tls(outcome).failure()).isEmpty();
            assertThat(tls(outcome).handshakes()).isEqualTo(20);
            assertThat(tls(outcome).resumed()).isZero();
        }
    }

    @Test
    void the_server_sees_the_name_and_http_1_1() {
        Set<String> names = ConcurrentHashMap.newKeySet();
        Set<String> protocols = ConcurrentHashMap.newKeySet();
        SSLContext context = certificates.server("server");
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    ScriptedServer.Visit tls =
                            visit.secured(context, socket -> alpn(socket, "h2", "http/1.1"));
                    while (tls.readRequest()) {
                        SSLSocket socket = (SSLSocket) tls.socket;
                        protocols.add(socket.getApplicationProtocol());
                        ((ExtendedSSLSession) socket.getSession())
                                .getRequestedServerNames()
                                .forEach(name -> names.add(((SNIHostName) name).getAsciiName()));
                        tls.answer(ScriptedServer.OK);
                    }
                })) {
            Requests outcome = SmallLoad.run(plan(server.address(), trusting()).make(), 5, LONG);
            assertThat(outcome.answered()).isEqualTo(5);
            assertThat(names).containsExactly("localhost");
            assertThat(protocols).containsExactly("http/1.1");
        }
    }

    private static void alpn(SSLSocket socket, String... protocols) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
    }

    @Test
    void a_server_that_speaks_only_http_2_fails_the_handshake() {
        try (ScriptedServer server =
                serving(certificates.server("server"), socket -> alpn(socket, "h2"))) {
            failsHandshakes(
                    server,
                    trusting(),
                    words("no application protocol", "no_application_protocol"));
        }
    }

    private void failsHandshakes(ScriptedServer server, TlsSpec spec, String why) {
        Requests outcome = SmallLoad.run(plan(server.address(), spec).make(), 5, LONG);
        assertThat(outcome.errors())
                .containsExactlyEntriesOf(java.util.Map.of("tls-handshake", 5L));
        assertThat(tls(outcome).failure()).contains(why);
        assertThat(outcome.answered()).isZero();
        assertThat(server.requests.get()).isZero();
    }

    @Test
    void a_certificate_of_an_unknown_authority_fails() {
        try (ScriptedServer server = serving(certificates.server("stranger"), AS_IT_IS)) {
            failsHandshakes(
                    server,
                    trusting(),
                    words("self-signed certificate", "PKIX path building failed"));
        }
    }

    @Test
    void a_certificate_for_another_name_fails() {
        try (ScriptedServer server = serving(certificates.server("elsewhere"), AS_IT_IS)) {
            failsHandshakes(server, trusting(), words("hostname mismatch", "localhost"));
        }
    }

    @Test
    void an_expired_certificate_fails() {
        try (ScriptedServer server = serving(certificates.server("expired"), AS_IT_IS)) {
            failsHandshakes(
                    server, trusting(), words("certificate has expired", "validity check failed"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stranger", "elsewhere", "expired"})
    void any_certificate_is_accepted_if_requested(String which) {
        TlsSpec insecure = new TlsSpec(null, null, null, true, null, true);
        try (ScriptedServer server = serving(certificates.server(which), AS_IT_IS)) {
            Requests outcome = SmallLoad.run(plan(server.address(), insecure).make(), 10, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void a_client_presents_its_certificate_to_a_server_that_asks(String version) {
        TlsSpec spec = client("client", version);
        try (ScriptedServer server =
                serving(certificates.server("server"), socket -> socket.setNeedClientAuth(true))) {
            Requests outcome = SmallLoad.run(plan(server.address(), spec).make(), 10, LONG);
            assertThat(outcome.errors()).as("" + tls(outcome).failure()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(10);
        }
    }

    private static TlsSpec client(String alias, String version) {
        return new TlsSpec(
                certificates.certificate("ca").toString(),
                certificates.certificate(alias).toString(),
                certificates.key(alias).toString(),
                false,
                version,
                true);
    }

    /// In TLS 1.3 the refusal comes after the client has finished. The request in flight then makes
    /// the server's kernel reset the connection, which may arrive first.
    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void an_unknown_client_gets_no_answer(String version) {
        try (ScriptedServer server =
                serving(certificates.server("server"), socket -> socket.setNeedClientAuth(true))) {
            Requests outcome =
                    SmallLoad.run(
                            plan(server.address(), client("stranger", version)).make(), 5, LONG);
            assertThat(outcome.answered()).isZero();
            assertThat(outcome.networkErrors()).isEqualTo(5);
            assertThat(outcome.errors().keySet()).isSubsetOf("tls-handshake", "reset");
        }
    }

    @Test
    void an_answer_that_ends_with_the_stream_needs_a_close_notify() {
        AtomicLong cut = new AtomicLong();
        SSLContext context = certificates.server("server");
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    ScriptedServer.Visit tls = visit.secured(context, AS_IT_IS);
                    tls.readRequest();
                    tls.answer("HTTP/1.1 200 OK\r\n\r\nas much as there is");
                    if (visit.number % 2 == 0) {
                        cut.incrementAndGet();
                        visit.socket.shutdownOutput();
                        visit.awaitClient();
                    } else {
                        tls.socket.close();
                    }
                })) {
            Requests outcome =
                    SmallLoad.run(plan(server.address(), trusting("1.3")).make(), 20, LONG);
            assertThat(cut.get()).isEqualTo(10);
            assertThat(outcome.errors()).containsOnlyKeys("tls-truncated");
            assertThat(outcome.networkErrors()).isEqualTo(10);
            assertThat(outcome.answered()).isEqualTo(10);
        }
    }

    @Test
    void after_a_complete_answer_the_connection_may_end_without_close_notify() {
        SSLContext context = certificates.server("server");
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    ScriptedServer.Visit tls = visit.secured(context, AS_IT_IS);
                    tls.readRequest();
                    tls.answer(ScriptedServer.OK);
                    visit.socket.shutdownOutput();
                    visit.awaitClient();
                })) {
            Requests outcome = SmallLoad.run(plan(server.address(), trusting()).make(), 20, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(20);
            assertThat(outcome.connectionsOpened()).isEqualTo(20);
        }
    }

    @Test
    void a_large_answer_is_read_completely() {
        long length = 100L << 20;
        byte[] part = new byte[1 << 20];
        SSLContext context = certificates.server("server");
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    ScriptedServer.Visit tls = visit.secured(context, AS_IT_IS);
                    while (tls.readRequest()) {
                        tls.answer("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                        for (long sent = 0; sent < length; sent += part.length) {
                            tls.out.write(part);
                        }
                        tls.out.flush();
                    }
                })) {
            Requests outcome = SmallLoad.run(plan(server.address(), trusting()).make(), 2, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(2);
            assertThat(outcome.exchanges().bytesReceived()).isGreaterThan(2 * length);
        }
    }

    @Test
    void a_body_larger_than_the_socket_buffers_is_sent_completely() {
        byte[] body = new byte[12_000_000];
        try (ScriptedServer server = serving()) {
            Requests outcome =
                    SmallLoad.run(plan(server.address(), trusting()).post(body).make(), 4, LONG);
            assertThat(outcome.errors()).as("" + tls(outcome).failure()).isEmpty();
            assertThat(server.requests.get()).isEqualTo(4);
        }
    }

    /// A second handshake is a key update in TLS 1.3 and a renegotiation in TLS 1.2.
    @Test
    void a_key_update_is_answered() {
        SSLContext context = certificates.server("server");
        try (ScriptedServer server = rekeying(context)) {
            Requests outcome =
                    SmallLoad.run(plan(server.address(), trusting("1.3")).make(), 50, LONG);
            assertThat(outcome.errors()).as("" + tls(outcome).failure()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(50);
            assertThat(outcome.connectionsOpened()).isEqualTo(1);
        }
    }

    private static ScriptedServer rekeying(SSLContext context) {
        return new ScriptedServer(visit -> {
            ScriptedServer.Visit tls = visit.secured(context, AS_IT_IS);
            while (tls.readRequest()) {
                tls.answer(ScriptedServer.OK);
                ((SSLSocket) tls.socket).startHandshake();
            }
        });
    }

    @Test
    void a_server_that_renegotiates_fails() {
        SSLContext context = certificates.server("server");
        try (ScriptedServer server = rekeying(context)) {
            failsAtRenegotiation(server);
        }
    }

    @Test
    void a_server_that_renegotiates_before_it_answers_fails() {
        SSLContext context = certificates.server("server");
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    ScriptedServer.Visit tls = visit.secured(context, AS_IT_IS);
                    tls.readRequest();
                    tls.answer(ScriptedServer.OK);
                    while (tls.readRequest()) {
                        ((SSLSocket) tls.socket).startHandshake();
                        tls.answer(ScriptedServer.OK);
                    }
                })) {
            failsAtRenegotiation(server);
        }
    }

    private void failsAtRenegotiation(ScriptedServer server) {
        Requests outcome = SmallLoad.run(plan(server.address(), trusting("1.2")).make(), 5, LONG);
        assertThat(outcome.errors().keySet()).isSubsetOf("tls-failed");
        assertThat(tls(outcome).failure()).contains("renegotiate");
    }

    @Test
    void garbage_instead_of_a_handshake_fails_it() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.write("HTTP/1.1 400 Bad Request\r\n\r\n");
                    visit.awaitClient();
                })) {
            failsHandshakes(
                    server, trusting(), words("wrong version number", "plaintext connection"));
        }
    }

    @Test
    void a_server_that_closes_during_the_handshake_fails_it() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.in.read();
                    visit.socket.shutdownOutput();
                    visit.awaitClient();
                })) {
            failsHandshakes(server, trusting(), "closed during the handshake");
        }
    }

    @Test
    void a_server_that_stalls_in_the_handshake_causes_a_tls_time_out() {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient)) {
            PlanMaker plan =
                    plan(server.address(), trusting())
                            .connections(3)
                            .timeout(Duration.ofMillis(200));
            Requests outcome = SmallLoad.run(plan.make(), 6, LONG);
            assertThat(outcome.errors())
                    .containsExactlyEntriesOf(java.util.Map.of("tls-timeout", 6L));
        }
    }

    @Test
    void an_alert_between_answers_only_ends_the_connection() throws IOException {
        SSLContext context = certificates.server("server");
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    ScriptedServer.Visit tls = visit.secured(context, AS_IT_IS);
                    tls.readRequest();
                    tls.answer(ScriptedServer.OK);
                    tls.readRequest();
                    visit.write("\u0017\u0003\u0003\u0000\u0020garbage that is no record at all");
                    visit.awaitClient();
                })) {
            Requests outcome = SmallLoad.run(plan(server.address(), trusting()).make(), 20, LONG);
            assertThat(outcome.answered() + outcome.networkErrors()).isEqualTo(20);
            assertThat(outcome.answered()).isEqualTo(server.answers.get());
            assertThat(outcome.errors().keySet()).isSubsetOf("tls-failed");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void an_open_loop_opens_its_connections_first(String version) {
        try (ScriptedServer server = serving()) {
            PlanMaker plan =
                    plan(server.address(), trusting(version))
                            .connections(4)
                            .arrival(new wallfinder.experiment.Arrival.Rate(2000));
            Requests outcome = SmallLoad.run(plan.make(), 300, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(300).isEqualTo(server.answers.get());
            assertThat(tls(outcome).handshakes()).isEqualTo(4);
        }
    }
}
