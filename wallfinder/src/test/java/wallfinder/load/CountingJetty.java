package wallfinder.load;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/// Counts connections and their bytes as Jetty reports them, and requests in its handler.
final class CountingJetty implements CountingServer {
    private final LongAdder connections = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder bodyBytes = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();
    private final Server server = new Server();
    private final ServerConnector connector;

    CountingJetty(Identity identity) throws Exception {
        HttpConnectionFactory http = new HttpConnectionFactory();
        if (identity == null) {
            connector = new ServerConnector(server, http);
        } else {
            // The requests name another host than the certificate.
            http.getHttpConfiguration().addCustomizer(new SecureRequestCustomizer(false));
            SslContextFactory.Server secured = new SslContextFactory.Server();
            secured.setSslContext(identity.context());
            connector = new ServerConnector(server, secured, http);
        }
        connector.setHost("127.0.0.1");
        connector.addBean(new Listener());
        server.addConnector(connector);
        server.setHandler(new Answering());
        server.start();
    }

    private final class Listener implements Connection.Listener {
        @Override
        public void onOpened(Connection connection) {
            if (connection instanceof HttpConnection) {
                connections.increment();
            }
        }

        @Override
        public void onClosed(Connection connection) {
            if (connection instanceof HttpConnection) {
                sentBytes.add(connection.getBytesOut());
            }
        }
    }

    private final class Answering extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws Exception {
            try (InputStream body = Content.Source.asInputStream(request)) {
                bodyBytes.add(body.readAllBytes().length);
            }
            requests.increment();
            Content.Sink.write(response, true, "ok\n", callback);
            return true;
        }
    }

    @Override
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort());
    }

    @Override
    public Counts stop() throws Exception {
        server.stop();
        return new Counts(connections.sum(), requests.sum(), bodyBytes.sum(), sentBytes.sum());
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("Jetty does not stop", e);
        }
    }
}
