package wallfinder.services.cxf;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.cxf.BusFactory;
import org.apache.cxf.configuration.jsse.TLSServerParameters;
import org.apache.cxf.jaxrs.JAXRSServerFactoryBean;
import org.apache.cxf.jaxrs.lifecycle.SingletonResourceProvider;
import org.apache.cxf.transport.http_jetty.JettyHTTPServerEngineFactory;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import tools.jackson.jakarta.rs.json.JacksonJsonProvider;

/// A customer service on Apache CXF's JAX-RS and Jetty.
public final class CxfServer implements AutoCloseable {
    /// The value of CXF's own connector.
    private static final long IDLE_MILLIS_MAX = 200_000;

    /// A field, because a logger without references loses its level.
    private static final Logger LOGS = Logger.getLogger("");

    private final org.apache.cxf.endpoint.Server service;
    private final ServerConnector connector;
    private final int port;

    private CxfServer(org.apache.cxf.endpoint.Server service, ServerConnector connector, int port) {
        this.service = service;
        this.connector = connector;
        this.port = port;
    }

    public static void main(String[] arguments) throws Exception {
        LOGS.setLevel(Level.WARNING);
        try {
            ServerOptions options = ServerOptions.parse(arguments);
            CxfServer server = start(options);
            System.out.println(
                    "cxf: listening on %s://%s:%d, %s"
                            .formatted(
                                    options.scheme(),
                                    options.host(),
                                    server.port(),
                                    options.described()));
        } catch (IllegalArgumentException wrong) {
            System.err.println("cxf: " + wrong.getMessage());
            System.err.println(ServerOptions.USAGE);
            System.exit(2);
        } catch (Exception failure) {
            System.err.println("cxf: it cannot start: " + failure);
            System.exit(1);
        }
    }

    /// Starts the service and returns when it listens. It uses its own connector because CXF's has
    /// no setting for the backlog alone. Otherwise the connector is like CXF's.
    static CxfServer start(ServerOptions options) throws Exception {
        ServerConnector connector = connector(options);
        connector.open();
        int port = connector.getLocalPort();
        JettyHTTPServerEngineFactory engines =
                BusFactory.getDefaultBus().getExtension(JettyHTTPServerEngineFactory.class);
        if (options.https()) {
            // These make CXF treat the address as https. The connector has the key.
            engines.setTLSServerParametersForPort(options.host(), port, new TLSServerParameters());
        }
        engines.createJettyHTTPServerEngine(options.host(), port, options.scheme())
                .setConnector(connector);
        JAXRSServerFactoryBean factory = new JAXRSServerFactoryBean();
        factory.setResourceClasses(Customers.class);
        factory.setResourceProvider(
                Customers.class, new SingletonResourceProvider(new Customers(options.customers())));
        factory.setProvider(new JacksonJsonProvider());
        factory.setAddress("%s://%s:%d/".formatted(options.scheme(), options.host(), port));
        return new CxfServer(factory.create(), connector, port);
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        service.destroy();
        JettyHTTPServerEngineFactory.destroyForPort(port);
    }

    private static ServerConnector connector(ServerOptions options) throws Exception {
        HttpConfiguration http = new HttpConfiguration();
        http.setUriCompliance(UriCompliance.LEGACY);
        HttpConnectionFactory connections = new HttpConnectionFactory(http);
        Server jetty = new Server(new QueuedThreadPool(options.threads()));
        ServerConnector connector;
        if (options.https()) {
            http.addCustomizer(new SecureRequestCustomizer(false));
            connector = new ServerConnector(jetty, tls(options), connections);
        } else {
            connector = new ServerConnector(jetty, connections);
        }
        connector.setHost(options.host());
        connector.setPort(options.port());
        connector.setIdleTimeout(IDLE_MILLIS_MAX);
        if (options.backlog() != ServerOptions.JETTYS) {
            connector.setAcceptQueueSize(options.backlog());
        }
        return connector;
    }

    private static SslContextFactory.Server tls(ServerOptions options) throws Exception {
        char[] password = options.keystorePassword().toCharArray();
        KeyStore store;
        if (options.keystore().isEmpty()) {
            store = SelfSigned.made(password);
        } else {
            store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(Path.of(options.keystore()))) {
                store.load(in, password);
            }
        }
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setKeyStore(store);
        tls.setKeyStorePassword(options.keystorePassword());
        return tls;
    }
}
