package wallfinder.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Certificates from the JDK under test: an authority, good server certificates and some with one
/// fault each, a client's, and an unknown client's.
public final class Certificates {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final List<String> EC = List.of("-keyalg", "EC", "-groupname", "secp256r1");
    private static final List<String> RSA = List.of("-keyalg", "RSA", "-keysize", "2048");

    /// keytool ends before more of the compiler pays off.
    private static final List<String> SHORT_LIVED =
            List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC");

    private static final int LINE = 64;
    private static final byte[] FEED = {'\n'};

    /// Made once for all tests, because keytool starts a JVM for each certificate.
    private static final class Common {
        private static final byte[] STORE = store();

        private static byte[] store() {
            try {
                Path folder = Files.createTempDirectory("certificates");
                Path store = folder.resolve("keys.p12");
                make(store, "ca", "-ext", "bc:c");
                make(store, "server", "-signer", "ca", "-ext", "san=dns:localhost,ip:127.0.0.1");
                make(store, "elsewhere", "-signer", "ca", "-ext", "san=dns:elsewhere.example");
                make(
                        store,
                        "expired",
                        "-signer",
                        "ca",
                        "-ext",
                        "san=dns:localhost",
                        "-startdate",
                        "-30d");
                make(store, "client", "-signer", "ca");
                make(store, "stranger");
                byte[] bytes = Files.readAllBytes(store);
                Files.delete(store);
                Files.delete(folder);
                return bytes;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final Path folder;
    private final KeyStore keys;

    private Certificates(Path folder, KeyStore keys) {
        this.folder = folder;
        this.keys = keys;
    }

    public static Certificates in(Path folder) {
        return in(folder, List.of());
    }

    /// @param rsa names of servers with RSA keys, which sign slower and verify faster
    static Certificates in(Path folder, List<String> rsa) {
        Path store = folder.resolve("keys.p12");
        try {
            Files.write(store, Common.STORE);
            for (String alias : rsa) {
                make(store, RSA, alias, "-signer", "ca", "-ext", "san=dns:localhost");
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD);
            }
            return new Certificates(folder, keys);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void make(Path store, String alias, String... more) {
        make(store, EC, alias, more);
    }

    private static void make(Path store, List<String> key, String alias, String... more) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/keytool").toString());
        command.addAll(SHORT_LIVED);
        command.add("-genkeypair");
        command.addAll(key);
        command.addAll(List.of("-alias", alias, "-dname", "CN=" + alias, "-validity", "10"));
        command.addAll(List.of("-keystore", store.toString(), "-storepass", new String(PASSWORD)));
        command.addAll(List.of(more));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes());
            if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("keytool: " + said);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A file with the certificate and that of the authority.
    public Path certificate(String alias) {
        try {
            StringBuilder pem = new StringBuilder();
            for (Certificate certificate : keys.getCertificateChain(alias)) {
                pem.append(block("CERTIFICATE", certificate.getEncoded()));
            }
            return Files.writeString(folder.resolve(alias + ".crt"), pem);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public Path key(String alias) {
        try {
            return Files.writeString(
                    folder.resolve(alias + ".key"),
                    block("PRIVATE KEY", keys.getKey(alias, PASSWORD).getEncoded()));
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static String block(String name, byte[] bytes) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(name, Base64.getMimeEncoder(LINE, FEED).encodeToString(bytes), name);
    }

    /// The context of a server that has this certificate and trusts the clients of the authority.
    SSLContext server(String alias) {
        try {
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry(
                    alias, keys.getKey(alias, PASSWORD), PASSWORD, keys.getCertificateChain(alias));
            KeyManagerFactory identity = KeyManagerFactory.getInstance("PKIX");
            identity.init(own, PASSWORD);
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("ca", keys.getCertificate("ca"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
