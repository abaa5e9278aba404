package wallfinder.experiment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// How an `https://` URL is spoken to. Files are PEM.
///
/// @param ca the certificates that are trusted, or null: those of the system
/// @param cert the client's certificate with the chain behind it, or null: none
/// @param key its private key, or null: it stands in the same file
/// @param insecure true trusts any certificate
/// @param version `1.2` or `1.3`, or null: whichever the server prefers
/// @param resumption whether a later handshake may take up an earlier session
public record TlsSpec(
        @Nullable String ca,
        @Nullable String cert,
        @Nullable String key,
        boolean insecure,
        @Nullable String version,
        boolean resumption) {
    public static final TlsSpec DEFAULT = new TlsSpec(null, null, null, false, null, true);
    public static final List<String> VERSIONS = List.of("1.2", "1.3");

    /// @throws UsageException if there is a key without its certificate, or no such version
    public TlsSpec {
        if (key != null && cert == null) {
            throw new UsageException(
                    "the key " + key + " cannot be used",
                    "there is no certificate to it",
                    "name the certificate too: --cert FILE, or cert: FILE in an experiment");
        }
        if (version != null && !VERSIONS.contains(version)) {
            throw new UsageException(
                    "TLS " + version + " cannot be used",
                    "the versions spoken here are 1.2 and 1.3",
                    "choose one of them, or leave it out: the server then chooses");
        }
    }
}
