package wallfinder.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.TlsSpec;

/// TLS for an https URL. Options that curl has, too, have its names.
final class TlsOptions {
    @Option(
            names = "--cacert",
            paramLabel = "FILE",
            description =
                    "Trust the certificates in this PEM file (default: those of the system, or else"
                            + " of the JDK).")
    @Nullable String ca;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "The client's certificate with its chain, in PEM.")
    @Nullable String cert;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description =
                    "Its private key, in PEM and without a passphrase (default: in the same file).")
    @Nullable String key;

    @Option(
            names = {"-k", "--insecure"},
            description = "Trust any certificate, whatever name it is for.")
    boolean insecure;

    @Option(
            names = "--tls",
            paramLabel = "VERSION",
            description = "Use only this version: 1.2 or 1.3.")
    @Nullable String version;

    @Option(
            names = "--no-tls-resumption",
            description = "Make a full handshake for each connection.")
    boolean noResumption;

    TlsSpec spec() {
        return new TlsSpec(ca, cert, key, insecure, version, !noResumption);
    }
}
