package wallfinder.load;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Checks certificates and remembers that it was asked: a handshake that resumes a session checks
/// none. Used by one thread.
final class TlsWitness extends X509ExtendedTrustManager {
    private final @Nullable X509ExtendedTrustManager judge;

    /// How many full handshakes have reached the server's certificate.
    long checked;

    X509Certificate @Nullable [] chain;

    /// @param judge null trusts everybody
    TlsWitness(@Nullable X509ExtendedTrustManager judge) {
        this.judge = judge;
    }

    private void shown(X509Certificate[] certificates) {
        checked++;
        chain = certificates;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        shown(chain);
        if (judge != null) {
            judge.checkServerTrusted(chain, type, engine);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        shown(chain);
        if (judge != null) {
            judge.checkServerTrusted(chain, type, socket);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("a server's name is checked with its certificate");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        throw new CertificateException("this end has no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("this end has no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("this end has no clients");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return judge == null ? new X509Certificate[0] : judge.getAcceptedIssuers();
    }
}
