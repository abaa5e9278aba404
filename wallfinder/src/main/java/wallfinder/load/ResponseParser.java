package wallfinder.load;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Memory;

/// Reads one HTTP/1.1 answer (RFC 9112) in pieces that are cut anywhere. It stores only its fields.
///
/// A line may end with a bare line feed. Answers with a status of 100 to 199 are skipped. Anything
/// that is not HTTP leads to the phase MALFORMED.
///
/// ```
/// VERSION > MINOR > STATUS > CODE > REASON > LINE_START <> NAME > VALUE or SKIP_LINE
///                                               |
///   +--------------+--------------+-------------+-----------------+
///   v              v              v                               v
/// COMPLETE   LENGTH_BODY   CLOSE_BODY     CHUNK_START > CHUNK_SIZE > CHUNK_EXTENSION
///                  |        (end of          ^                         |         |
///                  v         stream)         |                         v         v
///               COMPLETE     COMPLETE    CHUNK_END <------------ CHUNK_DATA   TRAILERS > COMPLETE
/// ```
final class ResponseParser {
    /// Bounds the status line, headers and trailers of an answer.
    static final int HEAD_BYTES_MAX = 64 * 1024;

    private static final int VERSION = 0;
    private static final int MINOR = 1;
    private static final int STATUS = 2;
    private static final int CODE = 3;
    private static final int REASON = 4;
    private static final int SKIP_LINE = 5;
    private static final int LINE_START = 6;
    private static final int HEAD_END = 7;
    private static final int NAME = 8;
    private static final int VALUE = 9;
    private static final int CHUNK_START = 10;
    private static final int CHUNK_SIZE = 11;
    private static final int CHUNK_EXTENSION = 12;
    private static final int CHUNK_END = 13;
    private static final int TRAILER_START = 14;
    private static final int TRAILER_END = 15;
    private static final int SKIP_TRAILER = 16;
    private static final int LENGTH_BODY = 17;
    private static final int CHUNK_DATA = 18;
    private static final int CLOSE_BODY = 19;
    private static final int COMPLETE = 20;
    private static final int MALFORMED = 21;

    private static final byte[] START = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);
    private static final KeywordMatcher NAMES =
            new KeywordMatcher("content-length", "connection", "transfer-encoding", "set-cookie");
    private static final int CONTENT_LENGTH = 0;
    private static final int CONNECTION = 1;
    private static final int SET_COOKIE = 3;
    private static final KeywordMatcher TOKENS =
            new KeywordMatcher("chunked", "close", "keep-alive");
    private static final int CHUNKED = 0;
    private static final int CLOSE = 1;
    private static final int KEEP_ALIVE = 2;

    private int phase;
    private int position;
    private int word;
    private int header;
    private int headBytes;
    private int status;
    private int minor;
    private boolean bodiless;
    private boolean headerSeen;
    private boolean numberEnded;
    private boolean lengthSeen;
    private boolean encodingSeen;
    private boolean chunkedLast;
    private boolean closeSeen;
    private boolean keepAliveSeen;
    private long number;
    private long contentLength;
    private long remaining;
    private boolean continueSeen;
    private @Nullable Cookies cookies;
    private @Nullable BodyText expected;

    /// See [BodyText#read].
    private int matched;

    /// Keeps the cookies of later answers.
    ///
    /// @param jar null: keeps none
    void keep(@Nullable Cookies jar) {
        cookies = jar;
    }

    /// Searches later bodies for a text.
    ///
    /// @param text null: searches for none
    void expect(@Nullable BodyText text) {
        expected = text;
    }

    /// Prepares for the next answer.
    ///
    /// @param bodiless whether the answer has no body whatever its headers say, as after HEAD
    void start(boolean bodiless) {
        this.bodiless = bodiless;
        headBytes = 0;
        matched = 0;
        continueSeen = false;
        startHead();
    }

    private void startHead() {
        phase = VERSION;
        position = 0;
        status = 0;
        header = -1;
        headerSeen = false;
        lengthSeen = false;
        encodingSeen = false;
        chunkedLast = false;
        closeSeen = false;
        keepAliveSeen = false;
    }

    /// Reads a piece.
    ///
    /// @return how many bytes belong to this answer: fewer than `length` only if it has ended
    int read(long address, int length) {
        long at = address;
        long end = address + length;
        while (at < end && phase < COMPLETE) {
            at = phase < LENGTH_BODY ? readHead(at, end) : readBody(at, end);
        }
        return (int) (at - address);
    }

    /// The stream has ended.
    ///
    /// @return whether this completes the answer
    boolean endOfStream() {
        if (phase == CLOSE_BODY) {
            phase = COMPLETE;
        }
        return phase == COMPLETE;
    }

    boolean ended() {
        return phase >= COMPLETE;
    }

    boolean malformed() {
        return phase == MALFORMED;
    }

    /// Whether no byte has arrived.
    boolean untouched() {
        return phase == VERSION && position == 0 && headBytes == 0;
    }

    int status() {
        return status;
    }

    /// Whether the body contains the expected text, or none is expected.
    boolean bodyExpected() {
        return expected == null || expected.found(matched);
    }

    /// Whether a status 100 came first: the server asks for the body.
    boolean continueSeen() {
        return continueSeen;
    }

    /// Whether the server will close the connection after this answer.
    boolean closes() {
        return closeSeen || (minor == 0 && !keepAliveSeen);
    }

    private long readHead(long at, long end) {
        long next = readLine(at, end);
        headBytes += (int) (next - at);
        if (headBytes > HEAD_BYTES_MAX) {
            phase = MALFORMED;
        } else if (phase == CHUNK_DATA) {
            // The bound of the head does not include chunk headers; each is bounded by itself.
            headBytes = 0;
        }
        return next;
    }

    private long readLine(long at, long end) {
        return switch (phase) {
            case NAME -> readName(at, end);
            case VALUE -> readValue(at, end);
            case SKIP_LINE -> skipLine(at, end, LINE_START);
            case SKIP_TRAILER -> skipLine(at, end, TRAILER_START);
            case CHUNK_EXTENSION -> skipExtension(at, end);
            default -> {
                readByte(Memory.getByte(at));
                yield at + 1;
            }
        };
    }

    private void readByte(int c) {
        switch (phase) {
            case VERSION -> readVersion(c);
            case MINOR -> readMinor(c);
            case STATUS -> phase = c == ' ' ? CODE : MALFORMED;
            case CODE -> readCode(c);
            case REASON -> readReason(c);
            case LINE_START -> startLine(c);
            case HEAD_END -> endHeadIf(c == '\n');
            case CHUNK_START, CHUNK_SIZE -> readChunkSize(c);
            case CHUNK_END -> endChunk(c);
            case TRAILER_START -> startTrailer(c);
            case TRAILER_END -> phase = c == '\n' ? COMPLETE : MALFORMED;
            default -> throw new IllegalStateException("no such phase: " + phase);
        }
    }

    private void readVersion(int c) {
        if (c != START[position]) {
            phase = MALFORMED;
        } else if (++position == START.length) {
            phase = MINOR;
        }
    }

    private void readMinor(int c) {
        minor = c - '0';
        position = 0;
        phase = digit(c) ? STATUS : MALFORMED;
    }

    private void readCode(int c) {
        status = status * 10 + c - '0';
        if (!digit(c)) {
            phase = MALFORMED;
        } else if (++position == 3) {
            phase = status < 100 ? MALFORMED : REASON;
        }
    }

    private void readReason(int c) {
        phase =
                switch (c) {
                    case ' ', '\r' -> SKIP_LINE;
                    case '\n' -> LINE_START;
                    default -> MALFORMED;
                };
    }

    private void startLine(int c) {
        if (c == ' ' || c == '\t') {
            foldLine();
        } else if (header == CONTENT_LENGTH && !acceptsLength()) {
            phase = MALFORMED;
        } else if (c == '\r') {
            phase = HEAD_END;
        } else if (c == '\n') {
            endHeadIf(true);
        } else {
            headerSeen = true;
            phase = NAME;
            word = 0;
            position = 0;
            readNameByte(c);
        }
    }

    /// A folded line continues the header before it. It is ignored after a cookie, which ended with
    /// its first line.
    private void foldLine() {
        boolean judged = header >= 0 && header != SET_COOKIE;
        phase = !headerSeen ? MALFORMED : judged ? VALUE : SKIP_LINE;
    }

    private long readName(long from, long end) {
        long at = from;
        while (at < end && phase == NAME) {
            readNameByte(Memory.getByte(at));
            at++;
        }
        return at;
    }

    private void readNameByte(int c) {
        if (c == ':') {
            header = NAMES.complete(word, position) ? word : -1;
            if (header == SET_COOKIE) {
                beginCookie();
            }
            phase = position == 0 && word == 0 ? MALFORMED : header < 0 ? SKIP_LINE : VALUE;
            startValue();
        } else if (c <= ' ') {
            phase = MALFORMED;
        } else if (word >= 0) {
            word = NAMES.follow(word, position, c | 0x20);
            position++;
        }
    }

    private void beginCookie() {
        if (cookies == null) {
            header = -1;
        } else {
            cookies.begin();
        }
    }

    private void startValue() {
        word = 0;
        position = 0;
        number = -1;
        numberEnded = false;
    }

    private long readValue(long from, long end) {
        long at = from;
        while (at < end && phase == VALUE) {
            int c = Memory.getByte(at);
            at++;
            if (header == CONTENT_LENGTH) {
                readLengthByte(c);
            } else if (header == SET_COOKIE) {
                readCookieByte(c);
            } else {
                readTokenByte(c);
            }
        }
        return at;
    }

    private void readLengthByte(int c) {
        if (digit(c) && !numberEnded && number < Long.MAX_VALUE / 10 - 1) {
            number = Math.max(number, 0) * 10 + c - '0';
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            numberEnded = number >= 0;
            phase = c == '\n' ? LINE_START : VALUE;
        } else {
            phase = MALFORMED;
        }
    }

    /// Checks a content length after the next line has begun and is known not to be a folded one.
    private boolean acceptsLength() {
        boolean contradicts = lengthSeen && contentLength != number;
        contentLength = number;
        lengthSeen = true;
        return number >= 0 && !contradicts;
    }

    private void readCookieByte(int c) {
        if (cookies != null) {
            cookies.read(c);
        }
        if (c == '\n') {
            phase = LINE_START;
        }
    }

    private void readTokenByte(int c) {
        if (c == ',' || c == ';' || c == '\n' || c == '\r' || c == ' ' || c == '\t') {
            endToken();
            if (c == '\n') {
                phase = LINE_START;
            }
        } else {
            if (word >= 0) {
                word = TOKENS.follow(word, position, c | 0x20);
            }
            position++;
        }
    }

    private void endToken() {
        if (position > 0) {
            int token = TOKENS.complete(word, position) ? word : -1;
            if (header == CONNECTION) {
                closeSeen |= token == CLOSE;
                keepAliveSeen |= token == KEEP_ALIVE;
            } else {
                encodingSeen = true;
                chunkedLast = token == CHUNKED;
            }
        }
        word = 0;
        position = 0;
    }

    private void endHeadIf(boolean ended) {
        if (!ended || status == 101) {
            // 101 answers an Upgrade, which is never requested.
            phase = MALFORMED;
            return;
        }
        if (status < 200) {
            continueSeen |= status == 100;
            startHead();
            return;
        }
        if (minor == 0 && encodingSeen) {
            // HTTP/1.0 has no transfer codings, so the end of the body is doubtful (RFC 9112, 6.1).
            closeSeen = true;
        }
        startBody();
    }

    private void startBody() {
        if (bodiless || status == 204 || status == 304) {
            phase = COMPLETE;
        } else if (chunkedLast) {
            phase = CHUNK_START;
        } else if (lengthSeen && !encodingSeen) {
            remaining = contentLength;
            phase = remaining == 0 ? COMPLETE : LENGTH_BODY;
        } else {
            closeSeen = true;
            phase = CLOSE_BODY;
        }
    }

    private void readChunkSize(int c) {
        int value = Character.digit(c, 16);
        if (value >= 0 && c < 128) {
            number = phase == CHUNK_START ? value : number * 16 + value;
            phase = number > Long.MAX_VALUE / 32 ? MALFORMED : CHUNK_SIZE;
        } else if (phase == CHUNK_START) {
            phase = MALFORMED;
        } else if (c == '\n') {
            endChunkSize();
        } else {
            phase = c == '\r' || c == ';' || c == ' ' || c == '\t' ? CHUNK_EXTENSION : MALFORMED;
        }
    }

    private long skipExtension(long at, long end) {
        long feed = LineFeed.find(at, end);
        if (feed == end) {
            return end;
        }
        endChunkSize();
        return feed + 1;
    }

    private void endChunkSize() {
        remaining = number;
        phase = number == 0 ? TRAILER_START : CHUNK_DATA;
    }

    private void endChunk(int c) {
        if (c == '\n') {
            phase = CHUNK_START;
        } else if (c != '\r' || position++ > 0) {
            phase = MALFORMED;
        }
    }

    private void startTrailer(int c) {
        phase =
                switch (c) {
                    case '\r' -> TRAILER_END;
                    case '\n' -> COMPLETE;
                    default -> SKIP_TRAILER;
                };
    }

    private long readBody(long at, long end) {
        long taken = phase == CLOSE_BODY ? end - at : Math.min(remaining, end - at);
        if (expected != null) {
            matched = expected.read(matched, at, at + taken);
        }
        if (phase == CLOSE_BODY) {
            return end;
        }
        remaining -= taken;
        if (remaining == 0) {
            phase = phase == LENGTH_BODY ? COMPLETE : CHUNK_END;
            position = 0;
        }
        return at + taken;
    }

    private long skipLine(long at, long end, int then) {
        long feed = LineFeed.find(at, end);
        if (feed == end) {
            return end;
        }
        phase = then;
        return feed + 1;
    }

    private static boolean digit(int c) {
        return c >= '0' && c <= '9';
    }
}
