package wallfinder.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A second opinion on [ResponseParser] that shares no code with it. It has the whole answer and
/// reads it with regular expressions, as RFC 9112 describes it.
///
/// If the RFC allows a choice, both are lenient: a line may end with a bare line feed, a bare
/// carriage return is a blank, anything may follow the size of a chunk on its line, trailers are
/// not checked, and blanks may separate the words of a list.
final class AnswerOracle {
    enum End {
        COMPLETE,
        /// Complete if the stream ends here.
        UNTIL_CLOSE,
        UNFINISHED,
        MALFORMED
    }

    /// @param length how many bytes belong to the answer
    /// @param status zero unless it is complete
    /// @param closes false unless it is complete
    record Verdict(End end, int length, int status, boolean closes) {}

    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.([0-9]) ([0-9]{3})(?<!0[0-9]{2})(?:[ \\r][^\\n]*)?\\n");
    private static final Pattern NAME = Pattern.compile("([!-9;-\\x7F]+):");
    private static final Pattern LENGTH = Pattern.compile("[ \\t\\r\\n]*([0-9]*)[ \\t\\r\\n]*");
    private static final Pattern END_OF_LINE = Pattern.compile("\\r?\\n");
    private static final Pattern HEX = Pattern.compile("[0-9A-Fa-f]+");
    private static final Pattern AFTER_SIZE = Pattern.compile("(?:[\\r; \\t][^\\n]*)?\\n");
    private static final Pattern BETWEEN_WORDS = Pattern.compile("[,; \\t\\r\\n]+");
    private static final BigInteger LENGTH_END = new BigInteger("9223372036854775790");
    private static final BigInteger CHUNK_MAX = BigInteger.TWO.pow(58).subtract(BigInteger.ONE);

    /// Ends the reading at any point.
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1;
        final End end;

        Ended(End end) {
            super(end.name(), null, false, false);
            this.end = end;
        }
    }

    private static final Ended UNFINISHED = new Ended(End.UNFINISHED);
    private static final Ended MALFORMED = new Ended(End.MALFORMED);

    private final String text;
    private final boolean bodiless;
    private int at;

    /// Where the bounded head begins, or -1 in a body.
    private int headFrom;

    private int minor;
    private int status;
    private BigInteger length;
    private List<String> codings;
    private List<String> options;
    private boolean untilClose;

    private AnswerOracle(String text, boolean bodiless) {
        this.text = text;
        this.bodiless = bodiless;
    }

    static Verdict judge(byte[] bytes, boolean bodiless) {
        AnswerOracle oracle = new AnswerOracle(new String(bytes, ISO_8859_1), bodiless);
        try {
            oracle.read();
            return oracle.complete();
        } catch (Ended e) {
            boolean endless = e.end == End.UNFINISHED && oracle.tooLong(oracle.text.length());
            return new Verdict(endless ? End.MALFORMED : e.end, 0, 0, false);
        }
    }

    private Verdict complete() {
        boolean kept = minor > 0 || has(options, "keep-alive");
        boolean doubtful = untilClose || (minor == 0 && !codings.isEmpty());
        return new Verdict(
                untilClose ? End.UNTIL_CLOSE : End.COMPLETE,
                untilClose ? text.length() : at,
                status,
                !kept || doubtful || has(options, "close"));
    }

    private static boolean has(List<String> words, String word) {
        return words.stream().anyMatch(word::equalsIgnoreCase);
    }

    private void read() {
        do {
            readHead();
        } while (status < 200);
        if (!bodiless && status != 204 && status != 304) {
            readBody();
        }
        checkHead();
    }

    private void readHead() {
        length = null;
        codings = List.of();
        options = List.of();
        Matcher line = expect(STATUS_LINE);
        minor = Integer.parseInt(line.group(1));
        status = Integer.parseInt(line.group(2));
        if (at < text.length() && blank(at)) {
            throw MALFORMED;
        }
        while (!endOfHead()) {
            readField();
        }
        if (status == 101) {
            throw MALFORMED;
        }
    }

    private boolean endOfHead() {
        boolean end = at == text.length() || text.charAt(at) == '\r' || text.charAt(at) == '\n';
        if (end) {
            expect(END_OF_LINE);
        }
        return end;
    }

    private boolean blank(int index) {
        return text.charAt(index) == ' ' || text.charAt(index) == '\t';
    }

    /// A field continues if the next line begins with a blank, so it is complete only when the next
    /// line has begun.
    private void readField() {
        String name = expect(NAME).group(1);
        int from = at;
        do {
            at = text.indexOf('\n', at) + 1;
        } while (at > 0 && at < text.length() && blank(at));
        boolean whole = at > 0 && at < text.length();
        String value = text.substring(from, whole ? at : text.length());
        if (name.equalsIgnoreCase("content-length")) {
            readLength(value, whole);
        }
        if (!whole) {
            throw UNFINISHED;
        }
        if (name.equalsIgnoreCase("transfer-encoding")) {
            codings = words(codings, value);
        } else if (name.equalsIgnoreCase("connection")) {
            options = words(options, value);
        }
    }

    private void readLength(String value, boolean whole) {
        Matcher matcher = LENGTH.matcher(value);
        if (!matcher.matches()) {
            throw MALFORMED;
        }
        String digits = matcher.group(1);
        if (digits.isEmpty() && whole) {
            throw MALFORMED;
        }
        BigInteger number = digits.isEmpty() ? BigInteger.ZERO : new BigInteger(digits);
        boolean contradicts = length != null && !length.equals(number);
        if (number.compareTo(LENGTH_END) >= 0 || (whole && contradicts)) {
            throw MALFORMED;
        }
        length = whole ? number : length;
    }

    private static List<String> words(List<String> before, String value) {
        String all = String.join(",", before) + "," + value;
        return Arrays.stream(BETWEEN_WORDS.split(all)).filter(w -> !w.isEmpty()).toList();
    }

    private void readBody() {
        if (!codings.isEmpty() && codings.getLast().equalsIgnoreCase("chunked")) {
            readChunks();
        } else if (codings.isEmpty() && length != null) {
            skip(length);
        } else {
            checkHead();
            untilClose = true;
        }
    }

    private void readChunks() {
        BigInteger size = readChunkSize();
        while (size.signum() > 0) {
            skip(size);
            headFrom = at;
            expect(END_OF_LINE);
            size = readChunkSize();
        }
        while (!endOfHead()) {
            at = text.indexOf('\n', at) + 1;
            if (at == 0) {
                throw UNFINISHED;
            }
        }
    }

    private BigInteger readChunkSize() {
        BigInteger size = new BigInteger(expect(HEX).group(), 16);
        if (size.compareTo(CHUNK_MAX) > 0) {
            throw MALFORMED;
        }
        expect(AFTER_SIZE);
        return size;
    }

    private void skip(BigInteger count) {
        checkHead();
        headFrom = -1;
        if (count.compareTo(BigInteger.valueOf(text.length() - at)) > 0) {
            throw UNFINISHED;
        }
        at += count.intValueExact();
    }

    private void checkHead() {
        if (tooLong(at)) {
            throw MALFORMED;
        }
    }

    private boolean tooLong(int end) {
        return headFrom >= 0 && end - headFrom > ResponseParser.HEAD_BYTES_MAX;
    }

    private Matcher expect(Pattern pattern) {
        Matcher matcher = pattern.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw matcher.hitEnd() ? UNFINISHED : MALFORMED;
        }
        at = matcher.end();
        return matcher;
    }
}
