import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// An HTTPS server with an RSA key. Arguments: its port, and the folder of tls.crt and tls.key.
class TlsServer {
    private static final char[] PASSWORD = {};
    private static final byte[] ANSWER = {'o', 'k', '\n'};

    public static void main(String[] arguments) throws Exception {
        HttpsServer server =
                HttpsServer.create(
                        new InetSocketAddress(Integer.parseInt(arguments[0])), 1024);
        server.setHttpsConfigurator(new HttpsConfigurator(context(Path.of(arguments[1]))));
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, ANSWER.length);
            exchange.getResponseBody().write(ANSWER);
            exchange.close();
        });
        server.start();
        System.out.println("ready");
    }

    private static SSLContext context(Path folder) throws Exception {
        byte[] pem = Files.readAllBytes(folder.resolve("tls.crt"));
        Certificate certificate =
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(pem));
        String key = Files.readString(folder.resolve("tls.key")).replaceAll("-----[^-]*-----", "");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "own",
                KeyFactory.getInstance("RSA")
                        .generatePrivate(
                                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key))),
                PASSWORD,
                new Certificate[] {certificate});
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }
}
