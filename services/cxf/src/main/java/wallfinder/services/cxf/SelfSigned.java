package wallfinder.services.cxf;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/// A new key with a self-signed certificate for `localhost` and all addresses of this machine (RFC
/// 5280, in the encoding of X.690). The JDK has no API for this, and not every Java runtime has
/// `keytool`.
final class SelfSigned {
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;

    /// ecdsa-with-SHA256, 1.2.840.10045.4.3.2.
    private static final byte[] ECDSA_SHA256 = {
        0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02
    };

    /// id-at-commonName, 2.5.4.3.
    private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};

    /// id-ce-subjectAltName, 2.5.29.17.
    private static final byte[] ALTERNATIVE_NAMES = {0x06, 0x03, 0x55, 0x1d, 0x11};

    private static final Duration SINCE = Duration.ofDays(1);
    private static final Duration VALID = Duration.ofDays(3650);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private SelfSigned() {}

    /// @return a store that contains only this key
    static KeyStore made(char[] password) throws GeneralSecurityException, IOException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        byte[] content = content(pair, names());
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(content);
        byte[] signed =
                element(
                        SEQUENCE,
                        content,
                        element(SEQUENCE, ECDSA_SHA256),
                        element(BIT_STRING, new byte[1], signature.sign()));
        Certificate certificate =
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(signed));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, password);
        store.setKeyEntry("server", pair.getPrivate(), password, new Certificate[] {certificate});
        return store;
    }

    private static byte[] content(KeyPair pair, List<byte[]> names) {
        byte[] name =
                element(
                        SEQUENCE,
                        element(
                                SET,
                                element(
                                        SEQUENCE,
                                        COMMON_NAME,
                                        element(UTF8_STRING, "localhost".getBytes(UTF_8)))));
        byte[] alternatives =
                element(
                        SEQUENCE,
                        ALTERNATIVE_NAMES,
                        element(
                                OCTET_STRING,
                                element(SEQUENCE, names.toArray(new byte[names.size()][]))));
        Instant now = Instant.now();
        return element(
                SEQUENCE,
                element(VERSION, integer(BigInteger.TWO)),
                integer(new BigInteger(63, new SecureRandom()).setBit(0)),
                element(SEQUENCE, ECDSA_SHA256),
                name,
                element(SEQUENCE, time(now.minus(SINCE)), time(now.plus(VALID))),
                name,
                pair.getPublic().getEncoded(),
                element(EXTENSIONS, element(SEQUENCE, alternatives)));
    }

    private static List<byte[]> names() throws IOException {
        List<byte[]> names = new ArrayList<>();
        names.add(element(DNS_NAME, "localhost".getBytes(US_ASCII)));
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(InetAddress::getAddress)
                .forEach(address -> names.add(element(IP_ADDRESS, address)));
        return names;
    }

    private static byte[] time(Instant time) {
        return element(UTC_TIME, TIME.format(time).getBytes(US_ASCII));
    }

    private static byte[] integer(BigInteger number) {
        return element(INTEGER, number.toByteArray());
    }

    /// An element: tag, length, content.
    private static byte[] element(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else {
            byte[] digits = BigInteger.valueOf(length).toByteArray();
            int from = digits[0] == 0 ? 1 : 0;
            out.write(0x80 | digits.length - from);
            out.write(digits, from, digits.length - from);
        }
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
