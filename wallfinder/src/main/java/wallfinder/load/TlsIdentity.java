package wallfinder.load;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// The client's certificate, if it has one. It is presented to every server that asks, whatever
/// issuers that server names, so that the server itself refuses it and gives a reason.
final class TlsIdentity extends X509ExtendedKeyManager {
    private static final String ALIAS = "client";

    private final @Nullable PrivateKey key;
    private final List<X509Certificate> chain;

    boolean asked;

    TlsIdentity(@Nullable PrivateKey key, List<X509Certificate> chain) {
        this.key = key;
        this.chain = List.copyOf(chain);
    }

    boolean known() {
        return key != null;
    }

    private @Nullable String alias(String[] types) {
        asked = true;
        return key != null && Arrays.asList(types).contains(key.getAlgorithm()) ? ALIAS : null;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(types);
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(types);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return chain.toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return key;
    }

    @Override
    public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
        return known() ? new String[] {ALIAS} : new String[0];
    }

    @Override
    public String[] getServerAliases(String type, Principal @Nullable [] issuers) {
        return new String[0];
    }

    @Override
    public @Nullable String chooseServerAlias(
            String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
