package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.UsageException;

class PemTest {
    /// The bytes before a 2048-bit RSA key in PKCS#8: lengths, version, algorithm.
    private static final int RSA_HEAD_BYTES = 26;

    @TempDir private Path folder;

    private PrivateKey read(String block, byte[] der) throws IOException {
        Path file = Files.writeString(folder.resolve("key.pem"), Certificates.block(block, der));
        return Pem.key("--key", file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void keys_in_pkcs_8_are_read(String algorithm) throws Exception {
        PrivateKey key = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
        assertThat(read("PRIVATE KEY", key.getEncoded()).getEncoded()).isEqualTo(key.getEncoded());
    }

    @Test
    void a_pkcs_1_key_is_read() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        byte[] whole = generator.generateKeyPair().getPrivate().getEncoded();
        byte[] inner = Arrays.copyOfRange(whole, RSA_HEAD_BYTES, whole.length);
        assertThat(read("RSA PRIVATE KEY", inner).getEncoded()).isEqualTo(whole);
    }

    /// RFC 5915: version 1, the key, the name of the curve.
    @Test
    void a_sec_1_key_is_read() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        BigInteger secret = ((ECPrivateKey) generator.generateKeyPair().getPrivate()).getS();
        ByteBuffer der = ByteBuffer.allocate(51);
        der.put(HexFormat.of().parseHex("30310201010420"));
        der.put(HexFormat.of().parseHex("%064x".formatted(secret)));
        der.put(HexFormat.of().parseHex("a00a06082a8648ce3d030107"));
        ECPrivateKey read = (ECPrivateKey) read("EC PRIVATE KEY", der.array());
        assertThat(read.getS()).isEqualTo(secret);
    }

    @Test
    void a_key_with_a_passphrase_is_refused() {
        assertThatThrownBy(() -> read("ENCRYPTED PRIVATE KEY", new byte[40]))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("passphrase");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "DSA PRIVATE KEY"})
    void a_truncated_key_is_refused_wherever_it_is_cut(String block) throws Exception {
        byte[] whole =
                KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate().getEncoded();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> read(block, cut)).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void a_missing_or_empty_file_is_refused() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        for (Path file : new Path[] {empty, folder.resolve("none.pem")}) {
            assertThatThrownBy(() -> Pem.certificates("--cacert", file))
                    .isInstanceOf(UsageException.class)
                    .hasMessageContaining("--cacert " + file);
            assertThatThrownBy(() -> Pem.key("--key", file)).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void certificates_are_read_in_order() throws GeneralSecurityException {
        Certificates certificates = Certificates.in(folder);
        assertThat(Pem.certificates("--cert", certificates.certificate("server")))
                .hasSize(2)
                .first()
                .matches(c -> c.getSubjectX500Principal().getName().equals("CN=server"));
    }
}
