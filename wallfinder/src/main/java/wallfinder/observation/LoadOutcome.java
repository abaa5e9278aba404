package wallfinder.observation;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;

/// What the driving side counted in one measurement. There is a kind of outcome for each kind of
/// load ([wallfinder.experiment.LoadSpec]), and one for a load that others drive.
public sealed interface LoadOutcome {
    /// How long it was measured.
    double seconds();

    /// How many connections at once; 0 if only the load itself knows.
    default int connections() {
        return 0;
    }

    /// Requests with a complete answer, whatever its status, as far as they were counted.
    long answered();

    /// Exchanges that failed, by kind (see [ErrorKind]). Bad answers count here and in [#answered].
    SortedMap<String, Long> errors();

    /// The times that were taken.
    default Times times() {
        return Times.NONE;
    }

    /// The response times of good answers, from when a request was due to its last byte.
    default Histogram responseNanos() {
        return times().responseNanos();
    }

    /// From the connect call to the connected socket.
    default Histogram socketConnectNanos() {
        return times().connectNanos();
    }

    /// The answers by what they say, as far as anybody looked.
    default Answers answers() {
        return Answers.NONE;
    }

    /// Whether the requests were counted: a command may report none, and nobody counts those of a
    /// load that was not seen.
    default boolean countsRequests() {
        return switch (this) {
            case Driven _ -> true;
            case Command _ -> answered() > 0 || failed() > 0;
            case Unseen _ -> false;
        };
    }

    /// Whether the exchanges that failed were counted.
    default boolean countsErrors() {
        return switch (this) {
            case Driven _ -> true;
            case Command command -> command.errors.containsKey(Command.ERRORS);
            case Unseen _ -> false;
        };
    }

    /// Exchanges that failed in one way.
    default long errors(ErrorKind kind) {
        return errors().getOrDefault(kind.word(), 0L);
    }

    /// Complete answers that the load does not expect.
    default long bad() {
        return bad(errors());
    }

    /// Answers that the load expects: rates, percentiles, objectives and gains count these alone.
    default long good() {
        return answered() - bad();
    }

    /// Good answers a second.
    default double throughput() {
        return seconds() > 0 ? good() / seconds() : 0;
    }

    /// Exchanges that failed in the network or by time-out: bad answers are answers.
    default long networkErrors() {
        return sum(errors()) - bad();
    }

    /// Exchanges without a good answer.
    default long failed() {
        return sum(errors());
    }

    /// Our own engine drove the load.
    sealed interface Driven extends LoadOutcome {
        Engine engine();

        Loop loop();

        Exchanges exchanges();

        Failures failures();

        @Override
        Times times();

        @Override
        default long answered() {
            return exchanges().answered();
        }

        @Override
        default SortedMap<String, Long> errors() {
            return failures().errors();
        }

        default long sent() {
            return exchanges().sent();
        }

        default long inFlight() {
            return exchanges().inFlight();
        }

        default long connectionsOpened() {
            return exchanges().connectionsOpened();
        }

        default Generator generator() {
            return engine().generator();
        }
    }

    /// Requests over HTTP.
    ///
    /// @param keepalive false if each request had a connection of its own
    /// @param unloadedNanos the response times of a few requests sent one after the other before
    ///   the load, where their answers were good
    /// @param redirects answers of 300 to 399; they are not followed
    /// @param repeated requests that were sent again over a new connection, because the server had
    ///   closed the kept one before any byte of the answer; it may have seen them twice
    /// @param tls null: the load was plain HTTP
    /// @param targets of several requests what each gave; empty of one, and of more than a hundred
    record Requests(
            Engine engine,
            int connections,
            boolean keepalive,
            Loop loop,
            double seconds,
            Exchanges exchanges,
            Failures failures,
            Times times,
            Histogram unloadedNanos,
            Answers answers,
            long redirects,
            long repeated,
            @Nullable Tls tls,
            List<Target> targets)
            implements Driven {
        public Requests {
            targets = List.copyOf(targets);
        }

        @Override
        public Histogram socketConnectNanos() {
            return tls == null ? times.connectNanos : tls.connectNanos;
        }

        /// The same with what was measured without load.
        public Requests withUnloaded(
                Histogram unloaded, List<Target> withTheirs, long goodAlone, long badAlone) {
            return new Requests(
                    engine,
                    connections,
                    keepalive,
                    loop,
                    seconds,
                    exchanges,
                    failures,
                    times,
                    unloaded,
                    new Answers(
                            answers.statuses,
                            answers.badStatuses,
                            answers.badNanos,
                            goodAlone,
                            badAlone),
                    redirects,
                    repeated,
                    tls,
                    withTheirs);
        }
    }

    /// Connections that were opened and kept, and messages over them, which count as requests. What
    /// a connection failed by while nothing was under way counts as an exchange of its own.
    record Held(
            Engine engine,
            int connections,
            Loop loop,
            double seconds,
            Exchanges exchanges,
            Failures failures,
            Times times,
            Hold hold)
            implements Driven {}

    /// Another program drove the load.
    ///
    /// @param clientCpuSeconds of the program
    /// @param answered 0 if it does not report any
    /// @param errors of the kind [#ERRORS] alone; empty if it does not report how many failed
    /// @param connectionsOpened as the kernel counted them; 0 where others connect, too
    record Command(
            double seconds,
            double clientCpuSeconds,
            long answered,
            SortedMap<String, Long> errors,
            long connectionsOpened)
            implements LoadOutcome {
        /// The kind of all the errors that a command reports.
        public static final String ERRORS = "command";
    }

    /// The load that others drive, of which nothing was seen but the server.
    ///
    /// @param seconds how long it was watched
    record Unseen(double seconds) implements LoadOutcome {
        @Override
        public long answered() {
            return 0;
        }

        @Override
        public SortedMap<String, Long> errors() {
            return new TreeMap<>();
        }
    }

    /// Who drove.
    ///
    /// @param driver `io_uring`, `epoll` or `synthetic`
    /// @param clientCpuSeconds of the threads that drive
    record Engine(String driver, double clientCpuSeconds, Generator generator) {}

    /// What decided when a request was sent.
    sealed interface Loop {
        /// The last answer on its connection.
        record Closed() implements Loop {}

        /// The last answer on any connection: all send at once.
        ///
        /// @param batchNanos from the first send of a batch to its last answer
        record Lockstep(Histogram batchNanos) implements Loop {}

        /// The clock. There, `sent` counts all requests that came due, and those that still waited
        /// for a connection at the end count as in flight.
        ///
        /// @param waited requests that came due while all connections were busy: they were sent
        ///   later, or not before the end or their time-out
        /// @param lateNanos of the others, from when they were due to when the generator sent them
        record Open(Arrival.Open arrival, long waited, Histogram lateNanos) implements Loop {}
    }

    /// How many exchanges there were, and what they took.
    ///
    /// @param sent exchanges begun in the measured time, failed connects included; those under way
    ///   at its start count as begun then, so that `sent = answered + networkErrors() + inFlight`
    /// @param inFlight exchanges begun and not yet answered when the measurement ended
    /// @param connectionsOpened successful connects
    record Exchanges(
            long sent, long answered, long inFlight, long bytesReceived, long connectionsOpened) {}

    /// Exchanges that failed.
    ///
    /// @param errors by kind (see [ErrorKind]), bad answers included
    /// @param errorsByPhase those without an answer, by how far they had come (see [ErrorPhase])
    /// @param failedNanos how long those without an answer took together, from when they were due
    record Failures(
            SortedMap<String, Long> errors,
            SortedMap<String, SortedMap<String, Long>> errorsByPhase,
            long failedNanos) {}

    /// How long exchanges and connects took.
    ///
    /// @param responseNanos of good answers, from when a request was due to its last byte
    /// @param serviceNanos of the same, from when it was sent
    /// @param connectNanos from the connect call until a request can be sent: with TLS, its
    ///   handshake is part of it
    record Times(Histogram responseNanos, Histogram serviceNanos, Histogram connectNanos) {
        /// Nobody took any.
        public static final Times NONE =
                new Times(new Histogram(3), new Histogram(3), new Histogram(3));
    }

    /// The answers by what they say. Those that the load does not expect are bad; how many there
    /// were, tell the errors.
    ///
    /// @param statuses complete answers by their status; empty where nobody counted them
    /// @param badStatuses those whose status was not expected
    /// @param badNanos the response times of bad answers
    /// @param goodAlone of the requests before the load, those that got a good answer
    /// @param badAlone those that got a bad one, though they came without load
    record Answers(
            SortedMap<String, Long> statuses,
            SortedMap<String, Long> badStatuses,
            Histogram badNanos,
            long goodAlone,
            long badAlone) {
        /// Nothing was counted.
        public static final Answers NONE =
                new Answers(new TreeMap<>(), new TreeMap<>(), new Histogram(3), 0, 0);

        /// The share of bad answers without load.
        public double badShareAlone() {
            long all = goodAlone + badAlone;
            return all > 0 ? (double) badAlone / all : 0;
        }

        /// Whether the service answers badly without any load: then the load tells nothing of it.
        public boolean mostlyBadAlone() {
            return badShareAlone() >= 0.5;
        }

        /// How many answers of a status there were that was not expected.
        public long bad(int status) {
            return badStatuses.getOrDefault(Integer.toString(status), 0L);
        }
    }

    /// What became of held connections.
    ///
    /// @param exchange `echoed`, `idle` or `push`
    /// @param messageBytes of a message; 0 where none is sent
    /// @param intervalSeconds from one message of a connection to its next
    /// @param fates what became of each connection: [#ALIVE], [#CONNECTING], [#UNOPENED], or the
    ///   kind of error that ended it (see [ErrorKind]); all together are the connections
    /// @param reopened connects that were begun again after a failure
    /// @param openingSeconds from the first connect until each connection stood with its first
    ///   answer, or had failed; `NaN` if it ended before
    /// @param heldMessages messages that were answered after that
    /// @param heldSeconds how long they were held after that
    /// @param heldCpuSeconds CPU time of the threads that drive, after that
    /// @param firstAnswerNanos from a connected socket to the first answer over it, which is not
    ///   among the response times
    /// @param stateBytes what each connection took of our memory, outside the heap
    /// @param rssBytes what the whole process held at the end
    /// @param faults the first few failures, in words
    /// @param sockets what the kernel counted at the end, of each end whose kernel could be asked
    record Hold(
            String exchange,
            int messageBytes,
            double intervalSeconds,
            SortedMap<String, Long> fates,
            long reopened,
            double openingSeconds,
            long heldMessages,
            double heldSeconds,
            double heldCpuSeconds,
            Histogram firstAnswerNanos,
            int stateBytes,
            long rssBytes,
            List<String> faults,
            List<Sockets> sockets) {
        /// The fate of a connection that stood at the end.
        public static final String ALIVE = "alive";

        /// It was connecting at the end.
        public static final String CONNECTING = "connecting";

        /// It ended before this one's turn came.
        public static final String UNOPENED = "unopened";

        public Hold {
            faults = List.copyOf(faults);
            sockets = List.copyOf(sockets);
        }

        public long fate(String word) {
            return fates.getOrDefault(word, 0L);
        }
    }

    /// What the kernel of an end says of held connections while all of them stand still.
    ///
    /// @param established its sockets in that state, of connections to the target's ports
    record Sockets(End end, long established) {}

    /// One of several requests of a load. What failed before a connection was free for it is not
    /// counted here: it was no certain request yet.
    ///
    /// @param request its method and path, as they were written
    /// @param answered complete answers, whatever they say
    /// @param responseNanos of good answers, within a hundredth
    /// @param unloadedNanos the same of this request without load
    record Target(
            String request,
            long answered,
            SortedMap<String, Long> errors,
            Histogram responseNanos,
            Histogram unloadedNanos) {

        /// Complete answers that the load does not expect.
        public long bad() {
            return LoadOutcome.bad(errors);
        }
    }

    /// The load went over TLS.
    ///
    /// @param protocol of the first handshake that succeeded, such as `TLSv1.3`; null if none did
    /// @param cipher of the same
    /// @param trusted which certificates were trusted, in words
    /// @param handshakes that succeeded
    /// @param resumed those of them that took up an earlier session
    /// @param connectNanos from the connect call to the connected socket
    /// @param handshakeNanos from there until a request can be sent
    /// @param failure why the first connection that TLS failed on did, or null
    record Tls(
            @Nullable String protocol,
            @Nullable String cipher,
            String trusted,
            long handshakes,
            long resumed,
            Histogram connectNanos,
            Histogram handshakeNanos,
            @Nullable String failure) {}

    /// How the generator itself fared.
    ///
    /// @param threads threads that drive
    /// @param idleShare the share of the time its threads waited for the network: near zero means
    ///   that the generator was the limit
    /// @param waitingShare the share of the time its threads were runnable without a CPU
    /// @param exhausted what ran out on the generator's own side (`ports`, `descriptors`), with how
    ///   often
    /// @param stalls when it stood still
    record Generator(
            int threads,
            double idleShare,
            double waitingShare,
            Map<String, Long> exhausted,
            Stalls stalls) {}

    /// The times in which a thread of the generator neither waited for the network nor looked at
    /// it, because it worked, had no CPU, or was stopped with all of its JVM. What came due or came
    /// in then is late by the generator's own fault. Those that fall into a wait which something
    /// else ends cannot be told from the waiting.
    ///
    /// @param count how many took 1 ms or longer
    /// @param nanos how long these took together
    /// @param longestNanos the longest one, however short
    /// @param collections how often the JVM collected garbage in the measured time
    /// @param collectionNanos how long that took, by the JVM's own account, in milliseconds at best
    record Stalls(
            long count, long nanos, long longestNanos, long collections, long collectionNanos) {}

    private static long sum(SortedMap<String, Long> errors) {
        return errors.values().stream().mapToLong(Long::longValue).sum();
    }

    private static long bad(SortedMap<String, Long> errors) {
        long bad = 0;
        for (ErrorKind kind : ErrorKind.values()) {
            if (kind.answer()) {
                bad += errors.getOrDefault(kind.word(), 0L);
            }
        }
        return bad;
    }
}
