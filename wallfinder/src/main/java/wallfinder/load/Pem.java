package wallfinder.load;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;

/// Reads certificates and private keys from PEM files (RFC 7468).
final class Pem {
    private static final long FILE_BYTES_MAX = 16L << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");

    // The DER needed to convert older key formats to PKCS#8 (RFC 5208).
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final int EC_PARAMETERS = 0xA0;
    private static final byte[] VERSION_0 = {2, 1, 0};
    private static final byte[] RSA = {
        0x30, 13, 6, 9, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 13, 1, 1, 1, 5, 0
    };
    private static final byte[] EC = {6, 7, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 2, 1};

    private Pem() {}

    /// All certificates of a file.
    ///
    /// @throws UsageException if the file is unreadable or has no certificate
    static List<X509Certificate> certificates(String option, Path file) {
        List<X509Certificate> all = new ArrayList<>();
        Matcher block = BLOCK.matcher(text(option, file));
        while (block.find()) {
            if (block.group(1).endsWith("CERTIFICATE")) {
                all.add(certificate(option, file, block.group(2)));
            }
        }
        if (all.isEmpty()) {
            throw wrong(option, file, "it contains no certificate");
        }
        return all;
    }

    private static X509Certificate certificate(String option, Path file, String base64) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(decoded(base64)));
        } catch (CertificateException | IllegalArgumentException e) {
            throw wrong(option, file, "one of its certificates cannot be read: " + e.getMessage());
        }
    }

    /// The first private key of a file.
    ///
    /// @throws UsageException if the file is unreadable, has no key, or has a key with a passphrase
    static PrivateKey key(String option, Path file) {
        Matcher block = BLOCK.matcher(text(option, file));
        while (block.find()) {
            String body = block.group(2);
            String name = block.group(1);
            if (name.equals("ENCRYPTED PRIVATE KEY") || body.contains("ENCRYPTED")) {
                throw new UsageException(
                        option + " " + file + " cannot be used",
                        "the key has a passphrase, which is not supported",
                        "remove it: openssl pkey -in " + file + " -out plain.pem");
            }
            if (name.endsWith("PRIVATE KEY")) {
                return key(option, file, name, body);
            }
        }
        throw wrong(option, file, "it contains no private key");
    }

    private static PrivateKey key(String option, Path file, String name, String base64) {
        try {
            byte[] bytes = decoded(base64);
            byte[] pkcs8 =
                    switch (name) {
                        case "RSA PRIVATE KEY" -> wrapped(RSA, bytes);
                        case "EC PRIVATE KEY" -> wrapped(curve(bytes), bytes);
                        default -> bytes;
                    };
            PrivateKey key = key(pkcs8);
            if (key != null) {
                return key;
            }
        } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
            throw wrong(option, file, "its key is truncated or damaged");
        }
        throw wrong(option, file, "its key is not one of " + String.join(", ", ALGORITHMS));
    }

    /// The JDK cannot read the algorithm from the file, so all are tried.
    private static @Nullable PrivateKey key(byte[] pkcs8) {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException _) {
                // The key has another algorithm.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("the JDK has no " + algorithm, e);
            }
        }
        return null;
    }

    private static byte[] wrapped(byte[] algorithm, byte[] key) {
        return element(SEQUENCE, VERSION_0, algorithm, element(OCTETS, key));
    }

    /// The algorithm of an RFC 5915 key: version, key, then the name of the curve.
    private static byte[] curve(byte[] key) {
        ByteBuffer der = ByteBuffer.wrap(key);
        enter(der, SEQUENCE);
        skip(der);
        skip(der);
        int length = enter(der, EC_PARAMETERS);
        byte[] name = new byte[length];
        der.get(name);
        return element(SEQUENCE, EC, name);
    }

    private static int enter(ByteBuffer der, int tag) {
        if ((der.get() & 0xFF) != tag) {
            throw new IllegalArgumentException("not the expected element");
        }
        return length(der);
    }

    private static void skip(ByteBuffer der) {
        der.get();
        int length = length(der);
        der.position(der.position() + length);
    }

    private static int length(ByteBuffer der) {
        int first = der.get() & 0xFF;
        int length = first;
        if (first > 0x80) {
            length = 0;
            for (int i = first & 0x7F; i > 0; i--) {
                length = length << 8 | (der.get() & 0xFF);
            }
        }
        if (length < 0 || length > der.remaining()) {
            throw new IllegalArgumentException("longer than the rest");
        }
        return length;
    }

    private static byte[] element(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer der = ByteBuffer.allocate(length + 4);
        der.put((byte) tag);
        if (length < 0x80) {
            der.put((byte) length);
        } else {
            der.put((byte) 0x82).putShort((short) length);
        }
        for (byte[] part : parts) {
            der.put(part);
        }
        return java.util.Arrays.copyOf(der.array(), der.position());
    }

    private static byte[] decoded(String base64) {
        return Base64.getMimeDecoder().decode(base64);
    }

    private static String text(String option, Path file) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw wrong(option, file, "it is larger than 16 MB");
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw wrong(option, file, "it cannot be read (" + e.getClass().getSimpleName() + ")");
        }
    }

    private static UsageException wrong(String option, Path file, String why) {
        return new UsageException(
                option + " " + file + " cannot be used", why, "name a readable file in PEM form");
    }
}
