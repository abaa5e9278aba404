package wallfinder.observation;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;

/// What the driving side counted in one measurement.
///
/// @param driver `io_uring`, `epoll`, `command`, or [#UNSEEN]
/// @param connections how many at once
/// @param lockstep whether the connections sent in batches
/// @param clientCpuSeconds of the threads that drive
/// @param sent exchanges begun in the measured time, failed connects included; those under way at
///   its start count as begun then, so that `sent = answered + networkErrors() + inFlight`
/// @param answered requests with a complete answer, whatever its status
/// @param inFlight exchanges begun and not yet answered when the measurement ended
/// @param connectionsOpened successful connects
/// @param errors exchanges that failed, by kind (see [ErrorKind]); bad answers are counted here and
///   answered; of a command all are of the kind `command`, which is there if it tells them
/// @param errorsByPhase those without an answer, by how far they had come (see [ErrorPhase]); empty
///   for a command
/// @param failedNanos how long those without an answer took together, from when they were due
/// @param responseNanos of good answers, from when a request was due to its last byte
/// @param serviceNanos of the same, from when it was sent
/// @param connectNanos from the connect call until a request can be sent: with TLS, its handshake
///   is part of it
/// @param batchNanos in lockstep, from the first send of a batch to its last answer
/// @param unloadedNanos the response times of a few requests sent one after the other before the
///   load, where their answers were good
/// @param generator the generator's own condition, or null for a command
/// @param redirects answers of 300 to 399; they are not followed
/// @param repeated requests that were sent again over a new connection, because the server had
///   closed the kept one before any byte of the answer; it may have seen them twice
/// @param openLoop how requests came due, or null if answers decided when to send
/// @param tls null: the load was plain HTTP, or a command
/// @param targets of several requests what each gave; empty of one, and of more than a hundred
/// @param hold null: no connections were held for their own sake
/// @param answers what is known of the answers beside how many they were
public record LoadOutcome(
        String driver,
        int connections,
        boolean keepalive,
        boolean lockstep,
        double seconds,
        double clientCpuSeconds,
        long sent,
        long answered,
        long inFlight,
        long bytesReceived,
        long connectionsOpened,
        SortedMap<String, Long> errors,
        SortedMap<String, SortedMap<String, Long>> errorsByPhase,
        long failedNanos,
        Histogram responseNanos,
        Histogram serviceNanos,
        Histogram connectNanos,
        Histogram batchNanos,
        Histogram unloadedNanos,
        @Nullable Generator generator,
        long redirects,
        long repeated,
        @Nullable OpenLoop openLoop,
        @Nullable Tls tls,
        List<Target> targets,
        @Nullable Hold hold,
        Answers answers) {
    public LoadOutcome {
        targets = List.copyOf(targets);
        // A recording from before they were known has none.
        answers = Objects.requireNonNullElse(answers, Answers.NONE);
    }

    /// A load of requests.
    public LoadOutcome(
            String driver,
            int connections,
            boolean keepalive,
            boolean lockstep,
            double seconds,
            double clientCpuSeconds,
            long sent,
            long answered,
            long inFlight,
            long bytesReceived,
            long connectionsOpened,
            SortedMap<String, Long> errors,
            SortedMap<String, SortedMap<String, Long>> errorsByPhase,
            long failedNanos,
            Histogram responseNanos,
            Histogram serviceNanos,
            Histogram connectNanos,
            Histogram batchNanos,
            Histogram unloadedNanos,
            @Nullable Generator generator,
            long redirects,
            long repeated,
            @Nullable OpenLoop openLoop,
            @Nullable Tls tls,
            List<Target> targets) {
        this(
                driver,
                connections,
                keepalive,
                lockstep,
                seconds,
                clientCpuSeconds,
                sent,
                answered,
                inFlight,
                bytesReceived,
                connectionsOpened,
                errors,
                errorsByPhase,
                failedNanos,
                responseNanos,
                serviceNanos,
                connectNanos,
                batchNanos,
                unloadedNanos,
                generator,
                redirects,
                repeated,
                openLoop,
                tls,
                targets,
                null,
                Answers.NONE);
    }

    /// The answers by what they say. Those that the load does not expect are bad; how many there
    /// were, tell the errors.
    ///
    /// @param statuses complete answers by their status; empty where nobody counted them
    /// @param badStatuses those whose status was not expected
    /// @param badNanos the response times of bad answers
    /// @param goodAlone of the requests before the load, those that got a good answer
    /// @param badAlone those that got a bad one, though they came without load
    public record Answers(
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

    /// Connections were opened and kept, and messages went over them, which count as requests. What
    /// a connection failed by while nothing was under way counts as an exchange of its own.
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
    public record Hold(
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
    public record Sockets(End end, long established) {}

    /// One of several requests of a load. What failed before a connection was free for it is not
    /// counted here: it was no certain request yet.
    ///
    /// @param request its method and path, as they were written
    /// @param answered complete answers, whatever they say
    /// @param responseNanos of good answers, within a hundredth
    /// @param unloadedNanos the same of this request without load
    public record Target(
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

    /// The driver where the load is that of others, and nothing was seen but the server.
    public static final String UNSEEN = "unseen";

    /// A load of which nothing is known but how long it was watched from the server's end.
    public static LoadOutcome unseen(double seconds) {
        Histogram none = new Histogram(3);
        return new LoadOutcome(
                UNSEEN,
                0,
                true,
                false,
                seconds,
                0,
                0,
                0,
                0,
                0,
                0,
                new TreeMap<>(),
                new TreeMap<>(),
                0,
                none,
                none,
                none,
                none,
                none,
                null,
                0,
                0,
                null,
                null,
                List.of());
    }

    /// The same with what was measured without load.
    public LoadOutcome withUnloaded(
            Histogram unloaded, List<Target> withTheirs, long goodAlone, long badAlone) {
        return new LoadOutcome(
                driver,
                connections,
                keepalive,
                lockstep,
                seconds,
                clientCpuSeconds,
                sent,
                answered,
                inFlight,
                bytesReceived,
                connectionsOpened,
                errors,
                errorsByPhase,
                failedNanos,
                responseNanos,
                serviceNanos,
                connectNanos,
                batchNanos,
                unloaded,
                generator,
                redirects,
                repeated,
                openLoop,
                tls,
                withTheirs,
                hold,
                new Answers(
                        answers.statuses(),
                        answers.badStatuses(),
                        answers.badNanos(),
                        goodAlone,
                        badAlone));
    }

    /// False if nothing of any client is known, see [#UNSEEN].
    public boolean seen() {
        return !driver.equals(UNSEEN);
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
    public record Tls(
            @Nullable String protocol,
            @Nullable String cipher,
            String trusted,
            long handshakes,
            long resumed,
            Histogram connectNanos,
            Histogram handshakeNanos,
            @Nullable String failure) {}

    /// An open loop. There, `sent` counts all requests that came due, and those that still waited
    /// for a connection at the end count as in flight.
    ///
    /// @param waited requests that came due while all connections were busy: they were sent later,
    ///   or not before the end or their time-out
    /// @param lateNanos of the others, from when they were due to when the generator sent them
    public record OpenLoop(Arrival.Open arrival, long waited, Histogram lateNanos) {}

    /// How the generator itself fared.
    ///
    /// @param threads threads that drive
    /// @param idleShare the share of the time its threads waited for the network: near zero means
    ///   that the generator was the limit
    /// @param waitingShare the share of the time its threads were runnable without a CPU
    /// @param exhausted what ran out on the generator's own side (`ports`, `descriptors`), with how
    ///   often
    /// @param stalls when it stood still
    public record Generator(
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
    public record Stalls(
            long count, long nanos, long longestNanos, long collections, long collectionNanos) {
        public static final Stalls NONE = new Stalls(0, 0, 0, 0, 0);
    }

    /// The driver where the load is a command, and the kind of all the errors that it tells.
    public static final String COMMAND = "command";

    /// Whether another program drove.
    public boolean ofCommand() {
        return driver.equals(COMMAND);
    }

    /// False if nobody told how many exchanges failed: a command may count none.
    public boolean tellsErrors() {
        return seen() && (!ofCommand() || errors.containsKey(COMMAND));
    }

    /// Complete answers that the load does not expect.
    public long bad() {
        return bad(errors);
    }

    /// Answers that the load expects: rates, percentiles, objectives and gains count these alone.
    public long good() {
        return answered - bad();
    }

    /// Good answers a second.
    public double throughput() {
        return seconds > 0 ? good() / seconds : 0;
    }

    /// From the connect call to the connected socket.
    public Histogram socketConnectNanos() {
        return tls == null ? connectNanos : tls.connectNanos;
    }

    /// Exchanges that failed in the network or by time-out: bad answers are answers.
    public long networkErrors() {
        return sum(errors) - bad();
    }

    /// Exchanges without a good answer.
    public long failed() {
        return sum(errors);
    }

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
