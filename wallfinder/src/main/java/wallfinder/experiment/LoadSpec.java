package wallfinder.experiment;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The load of an experiment.
public sealed interface LoadSpec {
    Duration duration();

    /// The number of connections; 0 if only the load command knows it.
    int connections();

    /// Requests of our own engine over HTTP/1.1. The URL, the requests and the unix socket may
    /// contain placeholders such as `{server}`.
    ///
    /// @param url all requests share its scheme, host and port
    /// @param requests at least one
    /// @param cookies whether each connection returns the cookies of the server
    /// @param keepalive false opens a connection for each request
    /// @param requestsMax the number of requests after which the load ends, or [#NO_REQUESTS_MAX]
    /// @param warmup the maximum length of the warm-up
    /// @param unix the path of a unix socket that replaces the URL's host and port, or null; a
    ///   leading `@` means an abstract one
    /// @param tls for `https://` only
    /// @param expect which answers are good
    /// @param hosts those that generate the load, as `ssh:[USER@]HOST`; empty for this one
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
            Expectation expect,
            List<String> hosts)
            implements LoadSpec {
        public static final long NO_REQUESTS_MAX = Long.MAX_VALUE;

        /// The default if the experiment sets the number of requests.
        public static final Duration DURATION_MAX = Duration.ofDays(30);

        public static final int CONNECTIONS_MAX = 10_000_000;
        public static final int THREADS_MAX = 1_024;

        public Http with(Arrival other) {
            return copy(
                    url, requests, connections, threads, other, duration, requestsMax, unix, hosts);
        }

        /// The load of one measurement, see [Arrival.Open#drawn].
        public Http drawn() {
            return arrival instanceof Arrival.Open open ? with(open.drawn()) : this;
        }

        public Http closedByOneThread() {
            return copy(
                    url,
                    requests,
                    connections,
                    1,
                    new Arrival.Closed(),
                    duration,
                    requestsMax,
                    unix,
                    hosts);
        }

        /// The same load with values for some placeholders.
        public Http filled(Map<String, String> names) {
            return copy(
                    Template.fill(url, names),
                    requests.stream()
                            .map(request -> request.map(text -> Template.fill(text, names)))
                            .toList(),
                    connections,
                    threads,
                    arrival,
                    duration,
                    requestsMax,
                    unix == null ? null : Template.fill(unix, names),
                    hosts);
        }

        /// The same load from other hosts.
        public Http from(List<String> others) {
            return copy(
                    url,
                    requests,
                    connections,
                    threads,
                    arrival,
                    duration,
                    requestsMax,
                    unix,
                    List.copyOf(others));
        }

        /// A part of it. The arrival stays that of the whole.
        public Http part(int ownConnections, Duration ownDuration, long ownRequestsMax) {
            return copy(
                    url,
                    requests,
                    ownConnections,
                    threads,
                    arrival,
                    ownDuration,
                    ownRequestsMax,
                    unix,
                    hosts);
        }

        private Http copy(
                String otherUrl,
                List<RequestSpec> otherRequests,
                int otherConnections,
                int otherThreads,
                Arrival otherArrival,
                Duration otherDuration,
                long otherRequestsMax,
                @Nullable String otherUnix,
                List<String> otherHosts) {
            return new Http(
                    otherUrl,
                    otherRequests,
                    cookies,
                    otherConnections,
                    otherThreads,
                    keepalive,
                    otherArrival,
                    otherDuration,
                    otherRequestsMax,
                    warmup,
                    timeouts,
                    otherUnix,
                    tls,
                    expect,
                    otherHosts);
        }
    }

    /// A program in the client's namespace, sampled like a service.
    ///
    /// @param program with its own knobs, limits and JVM, like a service
    /// @param duration the maximum run time
    /// @param measure finds the figures in its output; null if its rate is unknown
    record Command(ServiceSpec program, Duration duration, @Nullable Measure measure)
            implements LoadSpec {
        /// The name of the program among the services.
        public static final String NAME = "load";

        @Override
        public int connections() {
            return 0;
        }
    }

    /// Connections that our own engine opens and holds. The host and the source may contain
    /// placeholders such as `{server}`.
    ///
    /// @param source the addresses to connect from; null for as many as the connections need
    /// @param memoryFloorBytes the load ends when the host has less memory left
    /// @param hosts those that open the connections, as `ssh:[USER@]HOST`; empty for this one
    record Hold(HoldSpec spec, @Nullable String source, long memoryFloorBytes, List<String> hosts)
            implements LoadSpec {
        @Override
        public Duration duration() {
            return spec.duration();
        }

        @Override
        public int connections() {
            return spec.connections();
        }

        public Hold with(int connections, Duration duration) {
            return new Hold(
                    spec.with(spec.host(), connections, duration), source, memoryFloorBytes, hosts);
        }

        /// The same connections from other hosts.
        public Hold from(List<String> others) {
            return new Hold(spec, source, memoryFloorBytes, List.copyOf(others));
        }

        /// The same load with values for some placeholders.
        public Hold filled(Map<String, String> names) {
            return new Hold(
                    spec.with(
                            Placeholders.fill(spec.host(), names),
                            spec.connections(),
                            spec.duration()),
                    source == null ? null : Placeholders.fill(source, names),
                    memoryFloorBytes,
                    hosts);
        }
    }

    /// Regular expressions for the figures in a program's output. Each has one group; that of the
    /// errors may have several, whose numbers are added. At least two of `requests`, `seconds` and
    /// `rate` are set, or only `requests`: then the rate is over the program's whole life.
    ///
    /// @param begin matches the output at which the measurement begins, or null for the start
    /// @param requests complete answers
    /// @param seconds the time in which the program counted them, with any unit as in `1.00m`
    /// @param rate answers a second
    record Measure(
            @Nullable String begin,
            @Nullable String requests,
            @Nullable String seconds,
            @Nullable String rate,
            @Nullable String errors) {}
}
