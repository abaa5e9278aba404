package wallfinder.experiment;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who drives the service.
public sealed interface LoadSpec {
    /// How long one measurement lasts.
    Duration duration();

    /// How many connections at once; 0 if only the load itself knows.
    int connections();

    /// Our own engine, over HTTP/1.1.
    ///
    /// @param url whose scheme, host and port all requests share; placeholders such as `{server}`
    ///   may still be in it, and in the requests
    /// @param requests at least one
    /// @param cookies whether each connection keeps what the server sets
    /// @param keepalive false opens a connection for each request
    /// @param requestsMax how many are measured before it ends, [#NO_REQUESTS_MAX]: any number
    /// @param warmup the longest time to warm the service, not measured
    /// @param timeouts an exchange that takes longer is an error
    /// @param unix the path of a unix socket to connect to in place of the URL's host and port, or
    ///   null; a leading `@` means an abstract one, and placeholders may still be in it
    /// @param tls for `https://` only
    /// @param expect which answers are good
    record Http(
            String url,
            List<RequestSpec> requests,
            boolean cookies,
            int connections,
            int threads,
            boolean keepalive,
            Arrival arrival,
            Duration duration,
            long requestsMax,
            Duration warmup,
            Timeouts timeouts,
            @Nullable String unix,
            TlsSpec tls,
            Expectation expect)
            implements LoadSpec {
        public static final long NO_REQUESTS_MAX = Long.MAX_VALUE;

        /// The bound where only the number of requests is one.
        public static final Duration DURATION_MAX = Duration.ofDays(30);

        /// The same with another arrival.
        public Http with(Arrival other) {
            return with(url, requests, threads, other, unix);
        }

        /// The same in a closed loop of one thread.
        public Http closedByOneThread() {
            return with(url, requests, 1, new Arrival.Closed(), unix);
        }

        /// The same with the values of some names.
        public Http filled(Map<String, String> names) {
            return with(
                    Template.fill(url, names),
                    requests.stream()
                            .map(request -> request.map(text -> Template.fill(text, names)))
                            .toList(),
                    threads,
                    arrival,
                    unix == null ? null : Template.fill(unix, names));
        }

        private Http with(
                String otherUrl,
                List<RequestSpec> otherRequests,
                int otherThreads,
                Arrival otherArrival,
                @Nullable String otherUnix) {
            return new Http(
                    otherUrl,
                    otherRequests,
                    cookies,
                    connections,
                    otherThreads,
                    keepalive,
                    otherArrival,
                    duration,
                    requestsMax,
                    warmup,
                    timeouts,
                    otherUnix,
                    tls,
                    expect);
        }
    }

    /// Any program, run in the client's namespace and watched like a service.
    ///
    /// @param program what is started, as a service is: with knobs, limits and a JVM of its own
    /// @param duration the longest time it may take
    /// @param measure how its output tells what it did, or null: its rate is unknown
    record Command(ServiceSpec program, Duration duration, @Nullable Measure measure)
            implements LoadSpec {
        /// What the program is called among the services.
        public static final String NAME = "load";

        @Override
        public int connections() {
            return 0;
        }
    }

    /// Connections that our own engine opens and keeps.
    ///
    /// @param spec whose host may be a placeholder such as `{server}`
    /// @param source the addresses to connect from, in which placeholders may be, or null: as many
    ///   as the connections need
    /// @param memoryFloorBytes it ends when the host has less memory left
    record Hold(HoldSpec spec, @Nullable String source, long memoryFloorBytes) implements LoadSpec {
        @Override
        public Duration duration() {
            return spec.duration();
        }

        @Override
        public int connections() {
            return spec.connections();
        }

        /// The same with another number of connections.
        public Hold with(int connections) {
            return with(connections, spec.duration());
        }

        /// The same with another number of connections, for another time.
        public Hold with(int connections, Duration duration) {
            return new Hold(spec.with(connections, duration), source, memoryFloorBytes);
        }

        /// The same with the values of some names.
        public Hold filled(Map<String, String> names) {
            return new Hold(
                    spec.to(Placeholders.fill(spec.host(), names)),
                    source == null ? null : Placeholders.fill(source, names),
                    memoryFloorBytes);
        }
    }

    /// Regular expressions for the figures in a program's output, each with one group; that of the
    /// errors may have several, which are added. There are two of `requests`, `seconds` and `rate`,
    /// or `requests` alone: then the rate is that over the program's whole life.
    ///
    /// @param begin what it prints when it begins to count, or null: from there on it is watched
    /// @param requests complete answers
    /// @param seconds in which it counted them; with a unit it may be any, such as `1.00m`
    /// @param rate answers a second
    record Measure(
            @Nullable String begin,
            @Nullable String requests,
            @Nullable String seconds,
            @Nullable String rate,
            @Nullable String errors) {}
}
