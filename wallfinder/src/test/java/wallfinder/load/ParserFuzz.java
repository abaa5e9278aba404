package wallfinder.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import wallfinder.linux.GuardedMemory;
import wallfinder.linux.Memory;
import wallfinder.load.AnswerOracle.End;
import wallfinder.load.AnswerOracle.Verdict;

/// Compares the parser with the oracle. Each piece for the parser ends at the end of mapped memory.
final class ParserFuzz implements AutoCloseable {
    private static final int ROOM = 512 * 1024;
    private static final int SHOWN_BYTES_MAX = 2000;
    private static final int COOKIES_CHECKED_IN = 64;

    private final GuardedMemory memory = new GuardedMemory(ROOM);
    private final ResponseParser parser = new ResponseParser();
    private final Map<End, Long> verdicts = new EnumMap<>(End.class);
    private final Cookies cookies = new Cookies();
    private long bytes;

    /// A random answer, cut at random places.
    void one(RandomGenerator random) {
        byte[] input = new AnswerMaker(random).make();
        int pieceMax = 1 << random.nextInt(18);
        parser.keep(random.nextBoolean() ? cookies : null);
        check(input, random.nextInt(8) == 0, () -> 1 + random.nextInt(pieceMax));
        if (random.nextInt(COOKIES_CHECKED_IN) == 0) {
            checkCookies();
        }
    }

    /// The jar always contains a header line that can be sent, whatever it has read.
    private void checkCookies() {
        long from = memory.place(new byte[Cookies.HEADER_BYTES_MAX], 0, Cookies.HEADER_BYTES_MAX);
        long end = cookies.write(from);
        for (long at = from; at < end - 2; at++) {
            int c = Memory.getByte(at) & 0xff;
            if (c < ' ' || c == 0x7f) {
                throw new AssertionError("the byte " + c + " in a cookie");
            }
        }
    }

    /// An answer, cut at every single place and at all places.
    void everyCut(byte[] input, boolean bodiless) {
        parser.keep(cookies);
        check(input, bodiless, () -> input.length);
        check(input, bodiless, () -> 1);
        for (int cut = 1; cut < input.length; cut++) {
            cut(input, bodiless, cut);
        }
        checkCookies();
    }

    /// An answer in two pieces.
    void cut(byte[] input, boolean bodiless, int first) {
        int[] next = {first};
        Cuts once =
                () -> {
                    int piece = next[0];
                    next[0] = input.length;
                    return piece;
                };
        check(input, bodiless, once);
    }

    /// The longest next piece.
    private interface Cuts {
        int next();
    }

    private void check(byte[] input, boolean bodiless, Cuts cuts) {
        Verdict expected = AnswerOracle.judge(input, bodiless);
        parser.start(bodiless);
        Verdict seen = verdict(read(input, cuts));
        verdicts.merge(expected.end(), 1L, Long::sum);
        bytes += input.length;
        if (!expected.equals(seen)) {
            throw new AssertionError(
                    "expected %s, but the parser says %s, of%s %s"
                            .formatted(
                                    expected,
                                    seen,
                                    bodiless ? " the answer to HEAD" : "",
                                    literal(input)));
        }
    }

    private int read(byte[] input, Cuts cuts) {
        int used = 0;
        while (used < input.length && !parser.ended()) {
            int piece = Math.min(cuts.next(), input.length - used);
            int taken = parser.read(memory.place(input, used, piece), piece);
            if (taken < 0 || taken > piece || (taken < piece && !parser.ended())) {
                throw new AssertionError(
                        "took "
                                + taken
                                + " of "
                                + piece
                                + " bytes at "
                                + used
                                + " of "
                                + literal(input));
            }
            used += taken;
        }
        return used;
    }

    private Verdict verdict(int used) {
        if (parser.malformed()) {
            return new Verdict(End.MALFORMED, 0, 0, false);
        }
        End end = parser.ended() ? End.COMPLETE : End.UNTIL_CLOSE;
        return parser.endOfStream()
                ? new Verdict(end, used, parser.status(), parser.closes())
                : new Verdict(End.UNFINISHED, 0, 0, false);
    }

    /// The input as a Java string literal.
    private static String literal(byte[] input) {
        StringBuilder text = new StringBuilder();
        String latin = new String(input, 0, Math.min(input.length, SHOWN_BYTES_MAX), ISO_8859_1);
        latin.chars()
                .forEach(c -> {
                    switch (c) {
                        case '\r' -> text.append("\\r");
                        case '\n' -> text.append("\\n");
                        case '\t' -> text.append("\\t");
                        case '"' -> text.append("\\\"");
                        case '\\' -> text.append("\\\\");
                        default -> {
                            if (c >= ' ' && c < 127) {
                                text.append((char) c);
                            } else {
                                text.append("\\u%04x".formatted(c));
                            }
                        }
                    }
                });
        return input.length + " bytes: \"" + text + '"';
    }

    /// How many inputs had which verdict.
    Map<End, Long> verdicts() {
        return verdicts;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        memory.close();
    }
}
