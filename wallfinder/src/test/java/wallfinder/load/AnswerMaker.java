package wallfinder.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/// Writes answers with all framings and damages about half of them.
final class AnswerMaker {
    private static final String[] VERSIONS = {
        "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1",
        "HTTP/1.0", "HTTP/1.0", "HTTP/1.2", "HTTP/1.x", "HTTP/2", "http/1.1", "HTTP/1.10"
    };
    private static final String[] CODES = {
        "200", "200", "200", "200", "200", "201", "204", "206", "301", "304", "404", "500", "503",
        "599", "999", "000", "099", "20", "2000", "+20"
    };
    private static final String[] INFORMATIONAL = {"100", "100", "102", "103", "199", "101"};
    private static final String[] REASONS = {
        " OK", " OK", " OK", "", " ", " Not  Found", " \t", " \u00e4\u00f6", "OK", "\tOK"
    };
    private static final String[] NAMES = {
        "Server",
        "Date",
        "X",
        "ETag",
        "Content-Type",
        "Content-Lengt",
        "Content-Lengths",
        "Conten",
        "Connectio",
        "Connections",
        "Con",
        "Transfer-Encodin",
        "Transfer-Encodings",
        "Trailer",
        "Set-Cookie",
        "Set-Cookie",
        "set-cookie",
        "Set-Cooki",
        "Keep-Alive",
        "Content Length",
        "Content-Length ",
        "",
        "Bad\u00e4"
    };
    private static final String[] VALUES = {
        "x",
        "",
        "a b c",
        "close",
        "chunked",
        "5",
        "a long value of more than sixteen bytes",
        "\"quoted, chunked\"",
        "\u00fc\u00fc",
        "a:b",
        "\r",
        "a\rb",
        "\0",
        "a=1",
        "a=2; Path=/",
        "b=3;Max-Age=0",
        "b=4; max-age=9",
        "=5",
        "c=",
        "a=\0",
        "dd=\"6;7\""
    };
    private static final String[] OPTIONS = {
        "close",
        "keep-alive",
        "Keep-Alive",
        "CLOSE",
        "upgrade, close",
        "close,keep-alive",
        "closed",
        "clos",
        "keep-aliv",
        "Upgrade",
        "",
        ",",
        ",close",
        "close;x",
        "foo close"
    };
    private static final String[] CODINGS = {
        "chunked",
        "chunked",
        "chunked",
        "Chunked",
        "gzip, chunked",
        "gzip,chunked",
        "gzip",
        "chunked, gzip",
        "chunked ",
        "\tchunked",
        "chunke",
        "chunkedd",
        "identity",
        "",
        ",",
        "chunked,",
        "gzip;q=1, chunked",
        "chunked;q=1",
        "gzip chunked"
    };
    private static final String[] SIZES = {
        "", "x", "-1", "FFFFFFFFFFFFFFFFFF", "3ffffffffffffff", "400000000000000", " 5", "0x5"
    };
    private static final String[] AFTER_SIZE = {
        "", "", "", "", "", ";a=b", ";a=\"q;\"", " ;a", " ", "\t", "\r", ";", "z", ";a=b\rc"
    };
    private static final String[] LENGTHS = {
        "-1",
        "+1",
        "",
        "5, 5",
        "5,6",
        "5 5",
        "5x",
        "0x5",
        "99999999999999999999",
        "9223372036854775789",
        "9223372036854775790",
        "9223372036854775807",
        "1e3",
        "5\r5"
    };
    private static final String[] SPLICES = {
        "\r\n",
        "\n",
        "\r",
        "\r\n\r\n",
        "HTTP/1.1 200 OK\r\n",
        "Content-Length: 1\r\n",
        "0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Connection: close\r\n",
        " ",
        "\t",
        ":",
        "\r\n ",
        "0",
        "f"
    };
    private static final String[] ODD_LINE_ENDS = {"\n", "\n", "\n", "\n", "\r", "\r\r\n", "\n\r"};

    private final RandomGenerator random;
    private final StringBuilder out = new StringBuilder(512);

    /// Whether this answer has unusual line ends and blanks.
    private boolean odd;

    AnswerMaker(RandomGenerator random) {
        this.random = random;
    }

    byte[] make() {
        byte[] bytes = answer();
        if (random.nextBoolean()) {
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                bytes = damaged(bytes);
            }
        }
        return bytes;
    }

    private boolean one(int in) {
        return random.nextInt(in) == 0;
    }

    private String any(String[] texts) {
        return texts[random.nextInt(texts.length)];
    }

    private byte[] answer() {
        out.setLength(0);
        odd = one(3);
        for (int i = one(6) ? 1 + random.nextInt(3) : 0; i > 0; i--) {
            statusLine(odd ? any(INFORMATIONAL) : "100");
            fields(random.nextInt(3));
            lineEnd();
        }
        statusLine(odd ? any(CODES) : "200");
        fields(random.nextInt(4));
        framed();
        if (one(8)) {
            out.append("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
        return out.toString().getBytes(ISO_8859_1);
    }

    private void lineEnd() {
        out.append(odd && one(5) ? any(ODD_LINE_ENDS) : "\r\n");
    }

    private void statusLine(String code) {
        out.append(odd ? any(VERSIONS) : "HTTP/1.1").append(odd && one(30) ? "  " : " ");
        out.append(code).append(odd ? any(REASONS) : " OK");
        lineEnd();
    }

    private void fields(int count) {
        for (int i = 0; i < count; i++) {
            if (one(4)) {
                field("Connection", odd ? any(OPTIONS) : "keep-alive");
            } else {
                field(odd ? any(NAMES) : NAMES[random.nextInt(4)], plainValue());
            }
        }
    }

    private String plainValue() {
        if (one(2000)) {
            return almostTooLong('x');
        }
        return odd ? any(VALUES) : VALUES[random.nextInt(7)];
    }

    /// Makes a head about as long as allowed.
    private String almostTooLong(char c) {
        int most = Math.max(64, ResponseParser.HEAD_BYTES_MAX - out.length());
        return Character.toString(c).repeat(most - random.nextInt(one(4) ? most : 64));
    }

    private void field(String name, String value) {
        out.append(one(4) ? recased(name) : name).append(odd && one(20) ? "" : ":");
        fold();
        out.append(value);
        fold();
        lineEnd();
    }

    private void fold() {
        if (odd && one(6)) {
            lineEnd();
        }
        out.append(one(8) ? odd ? "\t \r" : "" : " ");
    }

    private String recased(String name) {
        char[] letters = name.toCharArray();
        for (int i = 0; i < letters.length; i++) {
            letters[i] = random.nextBoolean() ? upper(letters[i]) : letters[i];
        }
        return new String(letters);
    }

    private static char upper(char c) {
        return c >= 'a' && c <= 'z' ? (char) (c - 32) : c;
    }

    private void framed() {
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> ofLength();
            case 3, 4, 5 -> chunked();
            case 6 -> {
                field("Transfer-Encoding", any(CODINGS));
                ofLength();
            }
            default -> {
                lineEnd();
                body(random.nextInt(40));
            }
        }
    }

    private void ofLength() {
        int length = one(4) ? 0 : random.nextInt(80);
        String claimed = odd && one(3) ? any(LENGTHS) : Integer.toString(length);
        field("Content-Length", claimed);
        if (one(8)) {
            field("Content-Length", one(2) ? claimed : Integer.toString(length));
        }
        fields(random.nextInt(2));
        lineEnd();
        body(length);
    }

    private void body(int length) {
        for (int i = 0; i < length; i++) {
            out.append((char) (one(4) ? random.nextInt(256) : 'a' + i % 26));
        }
    }

    private void chunked() {
        field("Transfer-Encoding", odd ? any(CODINGS) : "chunked");
        if (one(6)) {
            field("Content-Length", "7");
        }
        fields(random.nextInt(2));
        lineEnd();
        for (int i = random.nextInt(4); i > 0; i--) {
            chunk(1 + random.nextInt(40));
        }
        out.append(one(4) ? "000" : "0");
        extension();
        fields(one(3) ? random.nextInt(3) : 0);
        lineEnd();
    }

    private void chunk(int length) {
        String size = Integer.toHexString(length);
        out.append(odd && one(12) ? any(SIZES) : one(3) ? recased(size) : size);
        extension();
        body(length);
        lineEnd();
    }

    private void extension() {
        if (one(2000)) {
            out.append(';').append(almostTooLong('y'));
        }
        out.append(odd ? any(AFTER_SIZE) : AFTER_SIZE[random.nextInt(7)]);
        lineEnd();
    }

    private byte[] damaged(byte[] bytes) {
        int at = random.nextInt(bytes.length + 1);
        return switch (random.nextInt(7)) {
            case 0 -> flipped(bytes);
            case 1 -> inserted(bytes, at, any(SPLICES).getBytes(ISO_8859_1));
            case 2 -> inserted(bytes, at, new byte[] {(byte) random.nextInt(256)});
            case 3 -> without(bytes, at, 1 + random.nextInt(8));
            case 4 -> Arrays.copyOf(bytes, at);
            case 5 -> inserted(bytes, at, Arrays.copyOfRange(bytes, random.nextInt(at + 1), at));
            default -> spliced(bytes, at);
        };
    }

    private byte[] flipped(byte[] bytes) {
        if (bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    private static byte[] inserted(byte[] bytes, int at, byte[] more) {
        byte[] all = Arrays.copyOf(bytes, bytes.length + more.length);
        System.arraycopy(bytes, at, all, at + more.length, bytes.length - at);
        System.arraycopy(more, 0, all, at, more.length);
        return all;
    }

    private static byte[] without(byte[] bytes, int at, int count) {
        int end = Math.min(bytes.length, at + count);
        byte[] rest = Arrays.copyOf(bytes, bytes.length - (end - at));
        System.arraycopy(bytes, end, rest, at, bytes.length - end);
        return rest;
    }

    /// The beginning of one answer and the end of another.
    private byte[] spliced(byte[] bytes, int at) {
        byte[] other = answer();
        int from = random.nextInt(other.length + 1);
        return inserted(
                Arrays.copyOf(bytes, at), at, Arrays.copyOfRange(other, from, other.length));
    }
}
