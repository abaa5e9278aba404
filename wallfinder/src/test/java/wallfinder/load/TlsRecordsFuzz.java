package wallfinder.load;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.TlsSpec;

/// The TLS layer without sockets: whole conversations with a server whose flights are regrouped and
/// mostly spoilt. For any input the layer throws only [SSLException], keeps a bounded part of it,
/// and passes on only what the server has sent.
///
/// The server's half costs more than the layer's, and so do elliptic-curve signatures. So most
/// conversations replay a [TlsTape] to a client with the same keys. The layer must then send the
/// same bytes, as long as nothing was spoilt. One in `LIVE_ONE_IN` has a real server and resumes
/// earlier sessions; half of these use OpenSSL, whose keys cannot be chosen.
///
/// Not thread-safe.
final class TlsRecordsFuzz implements AutoCloseable {
    private static final String CHEAP = "rsa";
    private static final String HOST = "localhost";
    private static final int PORT = 443;
    private static final int ROUNDS_MAX = 20;
    private static final int LIVE_ONE_IN = 50;
    private static final int TAPES = 48;
    private static final double SPOILT_CHANCE = 0.5;

    /// Answers of the tapes: part of a record, or some records.
    private static final int SHORT_BYTES_MAX = 400;

    private final SSLContext server;
    private final SSLContext cheap;
    private final TlsFuzzClient live;
    private final TlsFuzzClient liveOpenSsl;
    private final TlsFuzzClient played;
    private final FixedRandom keys = new FixedRandom();
    private final List<TlsTape> tapes = new ArrayList<>();
    private final Counts counts = new Counts();

    // Of one input.
    private final List<byte[]> come = new ArrayList<>();
    private boolean spoilt;

    /// How the conversations ended.
    static final class Counts {
        /// With the complete answer.
        long answered;

        /// Ended with an [SSLException] on either side.
        long refused;

        /// Each side waited for the other, or the tape ended.
        long stood;

        /// Conversations with a spoilt flight.
        long spoilt;

        long live;
        long bytes;

        long conversations() {
            return answered + refused + stood;
        }

        void add(Counts other) {
            answered += other.answered;
            refused += other.refused;
            stood += other.stood;
            spoilt += other.spoilt;
            live += other.live;
            bytes += other.bytes;
        }
    }

    /// @param version `1.2` or `1.3`
    TlsRecordsFuzz(Certificates certificates, String version, long seed) {
        server = certificates.server("server");
        cheap = certificates.server(CHEAP);
        String ca = certificates.certificate("ca").toString();
        TlsPlan resuming = plan(new TlsSpec(ca, null, null, false, version, true));
        live = TlsFuzzClient.ofJdk(resuming, new SecureRandom());
        liveOpenSsl = new TlsFuzzClient(new OpenSslRecords(resuming, 1));
        TlsPlan full = plan(new TlsSpec(null, null, null, true, version, false));
        played = TlsFuzzClient.ofJdk(full, keys);
        Seeded.one(seed, this::record);
    }

    static Certificates certificates(Path folder) {
        return Certificates.in(folder, List.of(CHEAP));
    }

    private static TlsPlan plan(TlsSpec spec) {
        return TlsPlan.of(spec, HOST, PORT, null);
    }

    private void record(RandomGenerator random) {
        for (int i = 0; i < TAPES; i++) {
            int bytesMax = i % 4 == 0 ? TlsFuzzServer.ANSWER_BYTES_MAX : SHORT_BYTES_MAX;
            int length = random.nextInt(1, bytesMax);
            SSLContext from = i % 8 == 0 ? server : cheap;
            try {
                tapes.add(TlsTape.of(random.nextLong(), length, from, played, keys, random));
            } catch (SSLException e) {
                throw new AssertionError("refused, though nothing was spoilt", e);
            }
        }
    }

    Counts counts() {
        return counts;
    }

    void one(RandomGenerator random) {
        spoilt = false;
        come.clear();
        boolean withServer = random.nextInt(LIVE_ONE_IN) == 0;
        TlsFuzzClient client = withServer ? random.nextBoolean() ? live : liveOpenSsl : played;
        TlsTape tape = tapes.get(random.nextInt(tapes.size()));
        try {
            if (withServer) {
                counts.live++;
                int length = random.nextInt(1, TlsFuzzServer.ANSWER_BYTES_MAX);
                end(length, converse(client, length, random));
            } else {
                end(tape.length(), play(tape, random));
            }
        } catch (SSLException e) {
            if (!spoilt) {
                throw new AssertionError("refused, though nothing was spoilt: " + e, e);
            }
            counts.refused++;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(describe(withServer ? null : tape, e), e);
        } finally {
            client.end();
        }
        counts.spoilt += spoilt ? 1 : 0;
    }

    private int converse(TlsFuzzClient live, int length, RandomGenerator random)
            throws SSLException {
        TlsFuzzServer other = new TlsFuzzServer(server, length);
        byte[] said = live.open();
        for (int round = 0; round < ROUNDS_MAX && live.receivedBytes() < length; round++) {
            byte[] flight = other.flight(said);
            said = live.receive(onTheWay(flight, random), random);
            if (said.length == 0 && flight.length == 0) {
                break;
            }
        }
        return live.receivedBytes();
    }

    private int play(TlsTape tape, RandomGenerator random) throws SSLException {
        keys.restart(tape.seed());
        byte[] said = played.open();
        for (int i = 0; i < tape.flights().size(); i++) {
            check(said, tape.said().get(i));
            said = played.receive(onTheWay(tape.flights().get(i), random), random);
        }
        check(said, tape.said().getLast());
        return played.receivedBytes();
    }

    private void check(byte[] said, byte[] before) {
        if (!spoilt && !Arrays.equals(said, before)) {
            throw new AssertionError("it says something else to the same bytes");
        }
    }

    private byte[] onTheWay(byte[] flight, RandomGenerator random) {
        byte[] arrives = flight;
        if (flight.length > 0 && random.nextDouble() < SPOILT_CHANCE) {
            arrives = Spoiling.flight(flight.clone(), random);
            spoilt = true;
        }
        come.add(arrives);
        counts.bytes += arrives.length;
        return arrives;
    }

    private void end(int length, int heard) {
        if (heard == length) {
            counts.answered++;
        } else if (spoilt && heard < length) {
            counts.stood++;
        } else {
            throw new AssertionError("%d of %d bytes".formatted(heard, length));
        }
    }

    /// The whole input: certificates and the server's keys differ in the next run.
    private String describe(@Nullable TlsTape tape, Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        text.append(tape == null ? "; live" : "; keys of seed " + tape.seed());
        for (byte[] flight : come) {
            text.append("\n  ").append(HexFormat.of().formatHex(flight));
        }
        return text.toString();
    }

    @Override
    public void close() {
        live.close();
        liveOpenSsl.close();
        played.close();
    }
}
