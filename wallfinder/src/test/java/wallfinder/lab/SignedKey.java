package wallfinder.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A key of a server with a certificate that it has signed itself: `tls.key` and `tls.crt`.
enum SignedKey {
    /// A signature takes some milliseconds.
    RSA_4096("-newkey", "rsa:4096"),
    /// A signature takes some hundredths of a millisecond.
    ECDSA_P256("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256");

    private static final long SECONDS_MAX = 60;

    private final List<String> kind;

    SignedKey(String... kind) {
        this.kind = List.of(kind);
    }

    void write(Path folder) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("openssl", "req", "-x509", "-noenc", "-days", "2"));
        command.addAll(kind);
        command.addAll(List.of("-subj", "/CN=planted", "-keyout", "tls.key", "-out", "tls.crt"));
        Path log = folder.resolve("openssl.log");
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("no certificate, see " + log);
        }
    }
}
