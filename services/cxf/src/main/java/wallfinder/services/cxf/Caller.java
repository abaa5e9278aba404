package wallfinder.services.cxf;

import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.cxf.configuration.jsse.TLSClientParameters;
import org.apache.cxf.jaxrs.client.ClientConfiguration;
import org.apache.cxf.jaxrs.client.WebClient;
import org.apache.cxf.transport.http.HTTPConduit;
import tools.jackson.jakarta.rs.json.JacksonJsonProvider;

/// The client of one thread. CXF shares one `HttpClient` among clients with the same configuration.
final class Caller implements AutoCloseable {
    /// One object for all clients, so that they have the same configuration.
    private static final TLSClientParameters TRUSTING = trusting();

    private final ClientOptions options;
    private final WebClient client;

    Caller(ClientOptions options) {
        this.options = options;
        client = WebClient.create(options.address(), List.of(new JacksonJsonProvider()));
        String type =
                options.format() == ClientOptions.Format.XML
                        ? MediaType.APPLICATION_XML
                        : MediaType.APPLICATION_JSON;
        client.accept(type);
        switch (options.operation()) {
            case POST, PUT -> client.type(type);
            case GET, DELETE -> {}
        }
        ClientConfiguration config = WebClient.getConfig(client);
        if (options.conduit() == ClientOptions.Conduit.URLCONNECTION) {
            config.getRequestContext().put("force.urlconnection.http.conduit", true);
        }
        HTTPConduit conduit = config.getHttpConduit();
        conduit.getClient().setReceiveTimeout(options.timeout().toMillis());
        if (options.url().getScheme().equals("https")) {
            conduit.setTlsClientParameters(TRUSTING);
        }
    }

    /// Makes one request.
    ///
    /// @return the status
    int call(ClientOptions.Consume consume) throws Exception {
        try (Response response = response()) {
            if (response.getEntity() instanceof InputStream) {
                switch (consume) {
                    case CLOSE -> {}
                    case READ -> response.readEntity(byte[].class);
                    case BUFFER -> response.bufferEntity();
                }
            }
            return response.getStatus();
        }
    }

    /// Whether the operation may have this status: 304 means that there was no such customer.
    boolean expected(int status) {
        return switch (options.operation()) {
            case GET, POST -> status == 200;
            case PUT, DELETE -> status == 200 || status == 304;
        };
    }

    private Response response() {
        return switch (options.operation()) {
            case GET -> client.get();
            case POST -> client.post(new Customer(0, "Jack"));
            case PUT -> client.put(new Customer(Customers.FIRST, "Mary"));
            case DELETE -> client.delete();
        };
    }

    @Override
    public void close() {
        client.close();
    }

    /// Trusts every key, because the service under test may have any.
    private static TLSClientParameters trusting() {
        TLSClientParameters parameters = new TLSClientParameters();
        parameters.setTrustManagers(new TrustManager[] {new Trusting()});
        parameters.setDisableCNCheck(true);
        return parameters;
    }

    private static final class Trusting extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(
                X509Certificate[] chain, String type, java.net.Socket socket) {}

        @Override
        public void checkServerTrusted(
                X509Certificate[] chain, String type, java.net.Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
