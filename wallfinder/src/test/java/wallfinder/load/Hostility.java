package wallfinder.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import wallfinder.load.AnswerOracle.Verdict;

/// What a hostile server does: something different in each exchange, by a seed, with its own record
/// of what the client should see. It avoids undecidable cases: it resets no connection with bytes
/// that the client may not have read, and is silent either forever or briefly.
final class Hostility implements ScriptedServer.Script {
    private static final RandomGeneratorFactory<RandomGenerator> FACTORY =
            RandomGeneratorFactory.of("L64X128MixRandom");
    private static final long SEED_STEP = 0x9E3779B97F4A7C15L;
    private static final int PIECES_MAX = 5;
    private static final int PAUSE_NANOS_MAX = 500_000;
    private static final long DRIP_NANOS = 5_000_000;
    private static final int ENDLESS_BYTES = 8 * 1024;

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";
    private static final String[] ANSWERS = {
        ScriptedServer.OK,
        OK + "Content-Length: 0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        CHUNKED + "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: t\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + ScriptedServer.OK,
        "HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n1",
        OK + "Content-Length: 20000\r\n\r\n" + "x".repeat(20_000),
        ScriptedServer.OK_CLOSE,
        OK + "\r\nto the end",
    };
    private static final String[] SURPLUS = {
        ScriptedServer.OK + ScriptedServer.OK,
        OK + "Content-Length: 3\r\n\r\nhello",
        CHUNKED + "0\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nno",
        CHUNKED + "FFFFFFFFFFFFFFFFF\r\n",
        "220 mail.example ESMTP\r\n",
        "\0\0\0\0\0\0",
    };

    /// Beginnings, each with an endless continuation.
    static final String[][] ENDLESS_HEADS = {
        {OK, "X-Endless: header\r\n"},
        {"", "HTTP/1.1 100 Continue\r\n\r\n"},
        {OK + "X: ", "x"},
        {OK, "x"},
        {"HTTP/1.1 200 ", "OK"},
        {OK + "X: y\r\n", " folded\r\n"},
        {OK + "Content-Length: 5", " "},
        {OK + "Content-Length: ", "0"},
    };

    /// The same after a complete head.
    static final String[][] ENDLESS_CHUNK_HEADS = {
        {CHUNKED, "0"},
        {CHUNKED + "5;", "x=y;"},
        {CHUNKED + "0\r\n", "X-Endless: trailer\r\n"},
        {CHUNKED + "0\r\n", "x"},
    };

    /// Complete answers.
    final LongAdder whole = new LongAdder();

    /// Answers that are not HTTP, or more than one answer.
    final LongAdder malformed = new LongAdder();

    /// Exchanges that it cut off with a close or a reset.
    final LongAdder cut = new LongAdder();

    /// Exchanges that it never ended.
    final LongAdder endless = new LongAdder();

    /// Exchanges on a used connection that it closed without sending anything.
    final LongAdder repeated = new LongAdder();

    private final long seed;
    private final boolean bodiless;
    private final boolean unasked;

    /// @param bodiless whether the requests are HEAD
    /// @param unasked whether it may answer and close before a request arrives, as with a
    ///   connection per exchange
    Hostility(long seed, boolean bodiless, boolean unasked) {
        this.seed = seed;
        this.bodiless = bodiless;
        this.unasked = unasked;
    }

    @Override
    public void serve(ScriptedServer.Visit visit) throws IOException {
        RandomGenerator random = FACTORY.create(seed + visit.number * SEED_STEP);
        boolean goesOn = exchange(visit, random, true);
        while (goesOn) {
            goesOn = exchange(visit, random, false);
        }
    }

    /// @return whether the connection is kept
    private boolean exchange(ScriptedServer.Visit visit, RandomGenerator random, boolean first)
            throws IOException {
        if (first && unasked && random.nextInt(8) == 0) {
            return speakFirst(visit, random);
        }
        if (!visit.readRequest()) {
            return false;
        }
        int choice = random.nextInt(100);
        if (choice < 50) {
            return send(visit, random, any(ANSWERS, random), first);
        } else if (choice < 75) {
            return send(visit, random, new AnswerMaker(random).make(), first);
        } else if (choice < 85) {
            return send(visit, random, new byte[0], first);
        } else if (choice < 92) {
            return sendAtOnce(visit, any(SURPLUS, random));
        } else if (choice < 97) {
            return sendWithoutEnd(visit, random);
        } else if (choice < 98) {
            return drip(visit);
        }
        return silence(visit);
    }

    private boolean speakFirst(ScriptedServer.Visit visit, RandomGenerator random)
            throws IOException {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> {
                whole.increment();
                visit.write(OK + "Content-Length: 1\r\n\r\n" + (bodiless ? "" : "x"));
                yield visit.readRequest();
            }
            case 3, 4 -> sendAtOnce(visit, "SSH-2.0-OpenSSH_9.2\r\n");
            case 5, 6 -> end(visit, random, cut);
            default -> silence(visit);
        };
    }

    private static byte[] any(String[] texts, RandomGenerator random) {
        return texts[random.nextInt(texts.length)].getBytes(ISO_8859_1);
    }

    private boolean send(
            ScriptedServer.Visit visit, RandomGenerator random, byte[] bytes, boolean first)
            throws IOException {
        Verdict verdict = AnswerOracle.judge(bytes, bodiless);
        return switch (verdict.end()) {
            case COMPLETE -> {
                whole.increment();
                write(visit, random, Arrays.copyOf(bytes, verdict.length()));
                if (verdict.closes() && random.nextInt(8) == 0) {
                    visit.awaitClient();
                }
                yield !verdict.closes();
            }
            case MALFORMED -> {
                malformed.increment();
                write(visit, random, bytes);
                visit.awaitClient();
                yield false;
            }
            case UNTIL_CLOSE -> {
                whole.increment();
                write(visit, random, bytes);
                yield false;
            }
            case UNFINISHED -> {
                write(visit, random, bytes);
                yield leave(visit, random, first, bytes.length > 0);
            }
        };
    }

    /// Leaves an answer incomplete.
    private boolean leave(
            ScriptedServer.Visit visit, RandomGenerator random, boolean first, boolean begun)
            throws IOException {
        if (random.nextInt(16) == 0) {
            return silence(visit);
        }
        if (first || !begun) {
            return end(visit, random, first ? cut : repeated);
        }
        cut.increment();
        return false;
    }

    private static boolean end(
            ScriptedServer.Visit visit, RandomGenerator random, LongAdder account)
            throws IOException {
        account.increment();
        if (random.nextBoolean()) {
            visit.reset();
        }
        return false;
    }

    /// Writes random pieces at random times.
    private static void write(ScriptedServer.Visit visit, RandomGenerator random, byte[] bytes)
            throws IOException {
        int at = 0;
        for (int i = 1; at < bytes.length; i++) {
            int rest = bytes.length - at;
            int piece = i < PIECES_MAX ? 1 + random.nextInt(rest) : rest;
            visit.out.write(bytes, at, piece);
            at += piece;
            if (random.nextInt(4) == 0) {
                LockSupport.parkNanos(random.nextInt(PAUSE_NANOS_MAX));
            }
        }
    }

    /// Writes all in one piece, so that the client cannot mistake a part for an answer.
    private boolean sendAtOnce(ScriptedServer.Visit visit, byte[] bytes) throws IOException {
        malformed.increment();
        visit.out.write(bytes);
        visit.awaitClient();
        return false;
    }

    private boolean sendAtOnce(ScriptedServer.Visit visit, String text) throws IOException {
        return sendAtOnce(visit, text.getBytes(ISO_8859_1));
    }

    private boolean sendWithoutEnd(ScriptedServer.Visit visit, RandomGenerator random)
            throws IOException {
        if (bodiless && random.nextBoolean()) {
            return sendAtOnce(visit, CHUNKED + "5\r\nhello\r\n");
        }
        malformed.increment();
        String[][] texts = bodiless || random.nextBoolean() ? ENDLESS_HEADS : ENDLESS_CHUNK_HEADS;
        String[] text = texts[random.nextInt(texts.length)];
        forEver(visit, text[0], text[1]);
        return false;
    }

    /// Writes until the client closes.
    static void forEver(ScriptedServer.Visit visit, String beginning, String rest)
            throws IOException {
        visit.write(beginning);
        byte[] bytes = rest.repeat(ENDLESS_BYTES / rest.length()).getBytes(ISO_8859_1);
        while (true) {
            visit.out.write(bytes);
        }
    }

    private boolean drip(ScriptedServer.Visit visit) throws IOException {
        endless.increment();
        visit.write(bodiless ? OK : OK + "Content-Length: 1000000\r\n\r\n");
        while (true) {
            visit.write("x");
            LockSupport.parkNanos(DRIP_NANOS);
        }
    }

    private boolean silence(ScriptedServer.Visit visit) throws IOException {
        endless.increment();
        visit.awaitClient();
        return false;
    }
}
