package wallfinder.observation;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;

/// What the load counted in one measurement. Each kind of load ([wallfinder.experiment.LoadSpec])
/// has its kind of outcome; so does a load that other programs drive.
public sealed interface LoadOutcome {
    /// The measured time. The last answers may come after it.
    double seconds();

    /// The number of connections; 0 if only the load command knows it.
    default int connections() {
        return 0;
    }

    /// Requests with a complete answer of any status; 0 if nobody counted them.
    long answered();

    /// Failed exchanges by [ErrorKind]. Bad answers count here and in [#answered].
    SortedMap<String, Long> errors();

    default Times times() {
        return Times.NONE;
    }

    /// The response times of good answers, from due to the last byte.
    default Histogram responseNanos() {
        return times().responseNanos();
    }

    /// From the connect call to the connected socket.
    default Histogram socketConnectNanos() {
        return times().connectNanos();
    }

    /// The answers by status, if they were counted.
    default Answers answers() {
        return Answers.NONE;
    }

    /// Whether the requests were counted. A command may not report them.
    default boolean countsRequests() {
        return switch (this) {
            case Driven _ -> true;
            case Command _ -> answered() > 0 || failed() > 0;
            case Unseen _ -> false;
        };
    }

    /// Whether the failed exchanges were counted.
    default boolean countsErrors() {
        return switch (this) {
            case Driven _ -> true;
            case Command command -> command.errors.containsKey(Command.ERRORS);
            case Unseen _ -> false;
        };
    }

    /// Failed exchanges of one kind.
    default long errors(ErrorKind kind) {
        return errors().getOrDefault(kind.word(), 0L);
    }

    /// Complete answers that are not good.
    default long bad() {
        return bad(errors());
    }

    /// Good answers. Rates, percentiles, objectives and gains count only these.
    default long good() {
        return answered() - bad();
    }

    /// Good answers a second.
    default double throughput() {
        return perSecond(good() - outside().good());
    }

    /// Complete answers a second, good and bad.
    default double answersPerSecond() {
        return perSecond(answered() - outside().good() - outside().bad());
    }

    private double perSecond(double answers) {
        return seconds() > 0 ? Math.max(0, answers) / seconds() : 0;
    }

    default Outside outside() {
        return Outside.NONE;
    }

    /// Requests in flight at the end that had waited in vain, see [Driven#unanswered].
    default long unanswered() {
        return 0;
    }

    /// Exchanges without a complete answer: failed in the network, or timed out.
    default long networkErrors() {
        return sum(errors()) - bad();
    }

    /// Exchanges without a good answer.
    default long failed() {
        return sum(errors());
    }

    /// Requests that failed, or had waited in vain at the end. They are slower than any bound of a
    /// percentile in an objective.
    default long withoutGoodAnswer() {
        return failed() + unanswered();
    }

    /// The share of requests that failed, or waited in vain at the end; `NaN` without a request.
    default double failedShare() {
        long all = good() + withoutGoodAnswer();
        return all == 0 ? Double.NaN : (double) withoutGoodAnswer() / all;
    }

    /// How long our own engine waits for the last answers.
    long DRAIN_NANOS = 2_000_000_000L;

    /// Our own engine drove the load.
    sealed interface Driven extends LoadOutcome {
        Engine engine();

        Loop loop();

        ExchangeCounts exchanges();

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

        @Override
        default Outside outside() {
            return new Outside(
                    exchanges().outsideGood(),
                    exchanges().outsideBad(),
                    exchanges().outsideNanos());
        }

        /// A load waits [#DRAIN_NANOS] for its last answers. Requests in flight after that count as
        /// unanswered if they are more than the answers that took that long.
        @Override
        default long unanswered() {
            return Math.max(0, inFlight() - slow(responseNanos()) - slow(answers().badNanos()));
        }

        private static long slow(Histogram answers) {
            return answers.getTotalCount() - answers.getCountBetweenValues(0, DRAIN_NANOS);
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
    /// @param keepalive false if each request had a new connection
    /// @param unloadedNanos the baseline: response times of good answers to a few requests, sent
    ///   one after the other before the load
    /// @param redirects answers of 300 to 399; they are not followed
    /// @param repeated requests sent again over a new connection, because the server closed the
    ///   kept one before the first byte of the answer; the server may have seen them twice
    /// @param tls null for plain HTTP
    /// @param targets the result of each request; empty for one request, and for over a hundred
    record Requests(
            Engine engine,
            int connections,
            boolean keepalive,
            Loop loop,
            double seconds,
            ExchangeCounts exchanges,
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

        public long handshakes() {
            return tls == null ? 0 : tls.handshakes();
        }

        /// TLS handshakes that resumed no session.
        public long fullHandshakes() {
            return tls == null ? 0 : tls.handshakes() - tls.resumed();
        }

        /// The same with the baseline.
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
                            answers.statuses(),
                            answers.badStatuses(),
                            answers.badNanos(),
                            goodAlone,
                            badAlone),
                    redirects,
                    repeated,
                    tls,
                    withTheirs);
        }
    }

    /// Connections that were opened and held. Their messages count as requests. The failure of a
    /// connection between two messages counts as another exchange.
    record Held(
            Engine engine,
            int connections,
            Loop loop,
            double seconds,
            ExchangeCounts exchanges,
            Failures failures,
            Times times,
            Hold hold)
            implements Driven {}

    /// Another program drove the load.
    ///
    /// @param clientCpuSeconds of the program
    /// @param answered 0 if the program does not report it
    /// @param errors all of the kind [#ERRORS]; empty if the program does not report them
    /// @param connectionsOpened by the kernel's count; 0 if other programs connect too
    record Command(
            double seconds,
            double clientCpuSeconds,
            long answered,
            SortedMap<String, Long> errors,
            long connectionsOpened)
            implements LoadOutcome {
        /// The only kind of errors that a command reports.
        public static final String ERRORS = "command";
    }

    /// A load that other programs drove. Only the server was seen.
    ///
    /// @param seconds how long the server was watched
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

    /// @param driver `io_uring`, `epoll` or `synthetic`
    /// @param clientCpuSeconds of the engine's threads
    /// @param parts those of the hosts that drove the load together; empty if this host drove it
    record Engine(
            String driver, double clientCpuSeconds, Generator generator, List<LoadPart> parts) {
        public Engine {
            parts = List.copyOf(parts);
        }

        public Engine(String driver, double clientCpuSeconds, Generator generator) {
            this(driver, clientCpuSeconds, generator, List.of());
        }
    }

    /// What decides when the next request is sent.
    sealed interface Loop {
        /// The last answer on its connection.
        record Closed() implements Loop {}

        /// The last answer of a batch. All connections then send at once.
        ///
        /// @param batchNanos from the first send of a batch to its last answer
        record Lockstep(Histogram batchNanos) implements Loop {}

        /// The clock. `sent` then counts all requests that came due. Those that still waited for a
        /// connection at the end count as in flight.
        ///
        /// @param waited requests that came due while all connections were busy, sent late or never
        /// @param lateNanos from due to sent, of the other requests
        /// @param gapNanos from one send of an engine thread to its next; empty if no thread
        ///   counted
        record Open(Arrival.Open arrival, long waited, Histogram lateNanos, Histogram gapNanos)
                implements Loop {}
    }

    /// @param errors by [ErrorKind], bad answers included
    /// @param errorsByPhase those without an answer, by [ErrorPhase]
    /// @param failedNanos the total time of those without an answer, from due
    record Failures(
            SortedMap<String, Long> errors,
            SortedMap<String, SortedMap<String, Long>> errorsByPhase,
            long failedNanos) {}

    /// @param responseNanos of good answers, from due to the last byte
    /// @param serviceNanos of good answers, from sent to the last byte
    /// @param connectNanos from the connect call until a request can be sent, with TLS handshake
    /// @param thinned response times in the order of the answers
    record Times(
            Histogram responseNanos,
            Histogram serviceNanos,
            Histogram connectNanos,
            Thinned thinned) {
        public Times(Histogram responseNanos, Histogram serviceNanos, Histogram connectNanos) {
            this(responseNanos, serviceNanos, connectNanos, Thinned.NONE);
        }

        /// No times were taken.
        public static final Times NONE =
                new Times(new Histogram(3), new Histogram(3), new Histogram(3));
    }

    /// What became of held connections.
    ///
    /// @param exchange `echoed`, `idle` or `push`
    /// @param messageBytes the size of a message; 0 if none is sent
    /// @param intervalSeconds from one message of a connection to the next
    /// @param fates the number of connections by fate: [#ALIVE], [#CONNECTING], [#UNOPENED], or the
    ///   [ErrorKind] that ended them
    /// @param reopened connects repeated after a failure
    /// @param openingSeconds from the first connect until each connection had its first answer or
    ///   had failed; `NaN` if the load ended before
    /// @param heldMessages messages answered after the opening
    /// @param heldSeconds how long connections were held after the opening
    /// @param heldCpuSeconds CPU time of the engine's threads after the opening
    /// @param firstAnswerNanos from a connected socket to its first answer, which is not among the
    ///   response times
    /// @param stateBytes our memory for each connection, outside the heap
    /// @param rssBytes resident memory of our process at the end
    /// @param faults the first few failures, in words
    /// @param sockets the kernel's count at the end, for each end that can be counted
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
        /// Established at the end.
        public static final String ALIVE = "alive";

        /// Connecting at the end.
        public static final String CONNECTING = "connecting";

        /// Not tried before the load ended.
        public static final String UNOPENED = "unopened";

        public Hold {
            faults = List.copyOf(faults);
            sockets = List.copyOf(sockets);
        }

        public long fate(String word) {
            return fates.getOrDefault(word, 0L);
        }
    }

    /// The kernel's count of held connections at one end, while no message is in flight.
    ///
    /// @param established sockets of connections to the target's ports in this state
    record Sockets(End end, long established) {}

    /// One of several requests of a load. Requests that failed while they waited for a connection
    /// do not count here, because the engine had not chosen their target yet.
    ///
    /// @param request its method and path, as written in the experiment
    /// @param answered complete answers of any status
    /// @param responseNanos of good answers, with an error of at most a hundredth
    /// @param unloadedNanos its baseline
    record Target(
            String request,
            long answered,
            SortedMap<String, Long> errors,
            Histogram responseNanos,
            Histogram unloadedNanos) {

        public long bad() {
            return LoadOutcome.bad(errors);
        }
    }

    /// @param protocol of the first successful handshake, such as `TLSv1.3`; null if none succeeded
    /// @param cipher of the same handshake
    /// @param library that did handshakes and records, with its version
    /// @param trusted which certificates were trusted, in words
    /// @param handshakes successful ones
    /// @param resumed successful ones that resumed a session
    /// @param connectNanos from the connect call to the connected socket
    /// @param handshakeNanos from the connected socket until a request can be sent
    /// @param failure the reason of the first failure of TLS, or null
    record Tls(
            @Nullable String protocol,
            @Nullable String cipher,
            String library,
            String trusted,
            long handshakes,
            long resumed,
            Histogram connectNanos,
            Histogram handshakeNanos,
            @Nullable String failure) {}

    /// @param idleShare the share of the time in which its threads waited for the network; the
    ///   generator was the limit if this is near zero
    /// @param waitingShare the share of the time in which its threads were runnable without a CPU
    /// @param exhausted how often the generator ran out of `ports` or `descriptors`
    record Generator(
            int threads,
            double idleShare,
            double waitingShare,
            Map<String, Long> exhausted,
            Stalls stalls) {}

    /// The pauses in which a thread of the generator did not look at the network, because it was
    /// working, had no CPU, or its JVM was stopped. Requests that came due and answers that came in
    /// during a pause are late through the fault of the generator. A pause within a wait for the
    /// network looks like waiting, so it does not count.
    ///
    /// @param count pauses of 1 ms or longer
    /// @param nanos the total length of these pauses
    /// @param longestNanos the longest pause of any length
    /// @param collections garbage collections in the measured time
    /// @param collectionNanos their total length by the JVM's count, in milliseconds at best
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
