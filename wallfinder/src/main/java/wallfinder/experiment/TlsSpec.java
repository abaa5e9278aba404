package wallfinder.experiment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// TLS for `https://` URLs. Files are PEM.
///
/// @param ca the trusted certificates, or null for those of the system
/// @param cert the client's certificate and its chain, or null for none
/// @param key the private key, or null if it is in the file of the certificate
/// @param insecure true trusts any certificate
/// @param version `1.2` or `1.3`, or null for the server's choice
/// @param resumption whether handshakes may resume a session
public record TlsSpec(
        @Nullable String ca,
        @Nullable String cert,
        @Nullable String key,
        boolean insecure,
        @Nullable String version,
        boolean resumption) {
    public static final TlsSpec DEFAULT = new TlsSpec(null, null, null, false, null, true);
    public static final List<String> VERSIONS = List.of("1.2", "1.3");

    /// @throws UsageException for a key without a certificate, or an unknown version
    public TlsSpec {
        if (key != null && cert == null) {
            throw new UsageException(
                    "the key " + key + " cannot be used",
                    "it has no certificate",
                    "name the certificate too: --cert FILE, or cert: FILE in an experiment");
        }
        if (version != null && !VERSIONS.contains(version)) {
            throw new UsageException(
                    "TLS " + version + " cannot be used",
                    "Wallfinder knows versions 1.2 and 1.3",
                    "choose one of them, or leave it out: the server then chooses");
        }
    }
}
