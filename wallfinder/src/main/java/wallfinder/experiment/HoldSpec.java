package wallfinder.experiment;

import java.time.Duration;

/// A load of held connections.
///
/// @param host a name, or an address without brackets
/// @param port the first port
/// @param ports the number of ports from the first on; connections are spread evenly over them
/// @param threads of the engine; 0 for as many as the descriptors need
/// @param keepalive the silence after which the kernel probes a connection; zero for never
/// @param duration how long they are held after each of them has opened or failed
public record HoldSpec(
        String host,
        int port,
        int ports,
        int connections,
        int threads,
        Messages messages,
        Opening opening,
        Duration keepalive,
        OnError onError,
        Duration duration) {
    public static final int CONNECTIONS_MAX = 50_000_000;
    public static final int THREADS_MAX = 10_000;
    private static final String SCHEME = "tcp://";
    private static final int PORT_MAX = 65_535;

    /// The part of one of several generators, which hold until they are ended.
    public HoldSpec part(int connectionsOfPart, Opening openingOfPart) {
        return new HoldSpec(
                host,
                port,
                ports,
                connectionsOfPart,
                threads,
                messages,
                openingOfPart,
                keepalive,
                onError,
                LoadSpec.Http.DURATION_MAX);
    }

    /// What decides when messages are sent: the clock, or the answers.
    public Arrival arrival() {
        double perSecond = messages.perSecond(connections);
        return Double.isNaN(perSecond) ? new Arrival.Closed() : new Arrival.Rate(perSecond);
    }

    HoldSpec with(String otherHost, int count, Duration time) {
        return new HoldSpec(
                otherHost, port, ports, count, threads, messages, opening, keepalive, onError,
                time);
    }

    /// Checks a keepalive interval. The kernel counts whole seconds.
    ///
    /// @param text the interval as it was written
    public static Duration keepalive(Duration silence, String text) {
        if (silence.toSeconds() < 1 || silence.toSeconds() > Short.MAX_VALUE) {
            throw new UsageException(
                    "a keepalive interval of " + text + " cannot be used",
                    "the kernel takes between 1 and 32767 seconds",
                    "write it as in 60s");
        }
        return silence;
    }

    public enum Kind {
        /// The service returns each message unchanged.
        ECHO("echoed"),
        /// Nothing is sent or read.
        IDLE("idle"),
        /// Nothing is sent. What the service sends is read and counted.
        PUSH("push");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /// The word in `run.json`.
        public String word() {
            return word;
        }
    }

    /// What happens after a connection has failed.
    public enum OnError {
        /// It stays closed.
        COUNT,
        /// The whole run ends.
        STOP,
        /// It is opened again.
        RECONNECT
    }

    /// @param interval from one message to the next; zero sends the next one after the answer
    /// @param jitter the largest random change of an interval
    /// @param bytes the size of a message
    /// @param timeout for the answer
    public record Messages(
            Kind kind, Duration interval, Duration jitter, int bytes, Duration timeout) {
        public static final int BYTES_MAX = (1 << 24) - 1;

        public Messages {
            Timeouts.check(timeout);
            if (bytes < 1 || bytes > BYTES_MAX) {
                throw new UsageException(
                        "messages of " + bytes + " bytes cannot be sent",
                        "a message has between 1 and " + BYTES_MAX + " bytes",
                        "give another size");
            }
            if (jitter.compareTo(interval) > 0) {
                throw new UsageException(
                        "a jitter of " + jitter.toMillis() + " ms cannot be used",
                        "it is longer than the interval, " + interval.toMillis() + " ms",
                        "give a shorter jitter");
            }
        }

        /// Messages a second over all connections; `NaN` if answers decide when to send.
        public double perSecond(int connections) {
            boolean paced = kind == Kind.ECHO && !interval.isZero();
            return paced ? connections / (interval.toNanos() / 1e9) : Double.NaN;
        }
    }

    /// How connections are opened.
    ///
    /// @param perSecond connects a second; 0 for as fast as they are answered
    /// @param atOnce the maximum number of connections that connect or wait for their first answer
    /// @param timeout for a connect
    public record Opening(double perSecond, int atOnce, Duration timeout) {}

    public record Target(String host, int port, int ports) {}

    /// Reads `tcp://HOST:PORT` or `tcp://HOST:PORT-PORT`.
    ///
    /// @throws UsageException if the text has another form
    public static Target target(String text) {
        if (!text.startsWith(SCHEME)) {
            throw wrong(text, "it does not begin with " + SCHEME);
        }
        String rest = text.substring(SCHEME.length());
        int colon = rest.lastIndexOf(':');
        if (colon <= 0) {
            throw wrong(text, "it has no host and port");
        }
        String host = rest.substring(0, colon);
        String[] ends = rest.substring(colon + 1).split("-", -1);
        int first = port(text, ends[0]);
        int last = port(text, ends[ends.length - 1]);
        if (ends.length > 2 || last < first) {
            throw wrong(text, "its ports are not a range");
        }
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new Target(
                bracketed ? host.substring(1, host.length() - 1) : host, first, last - first + 1);
    }

    private static int port(String text, String part) {
        if (!part.matches("\\d{1,5}")) {
            throw wrong(text, "\"" + part + "\" is not a port");
        }
        int port = Integer.parseInt(part);
        if (port < 1 || port > PORT_MAX) {
            throw wrong(text, "there is no port " + port);
        }
        return port;
    }

    private static UsageException wrong(String text, String why) {
        return new UsageException(
                "the target \"" + text + "\" cannot be used",
                why,
                "write it as in tcp://127.0.0.1:8000 or tcp://127.0.0.1:8000-8003");
    }
}
