package wallfinder.experiment;

import java.time.Duration;

/// Connections that are opened and kept: to whom, how many, and what goes over them.
///
/// @param host a name, or an address without brackets
/// @param port the first port
/// @param ports how many ports from that one on; connections are spread evenly over them
/// @param threads that drive, or 0: as many as the descriptors need
/// @param keepalive after so long a silence the kernel probes a connection; zero: it never does
/// @param duration how long they are held, from when each of them stands or has failed
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
    private static final String SCHEME = "tcp://";
    private static final int PORT_MAX = 65_535;

    /// The same to another host.
    public HoldSpec to(String other) {
        return with(other, connections, duration);
    }

    /// The same with another number of connections, for another time.
    public HoldSpec with(int count, Duration time) {
        return with(host, count, time);
    }

    private HoldSpec with(String otherHost, int count, Duration time) {
        return new HoldSpec(
                otherHost, port, ports, count, threads, messages, opening, keepalive, onError,
                time);
    }

    /// A silence after which the kernel can probe: it counts whole seconds.
    ///
    /// @param told as it was written
    public static Duration keepalive(Duration silence, String told) {
        if (silence.toSeconds() < 1 || silence.toSeconds() > Short.MAX_VALUE) {
            throw new UsageException(
                    "a keepalive interval of " + told + " cannot be used",
                    "the kernel takes between 1 and 32767 seconds",
                    "give one as in 60s");
        }
        return silence;
    }

    /// What goes over a connection.
    public enum Kind {
        /// Each message comes back as it was sent.
        ECHO("echoed"),
        /// Nothing is sent, and what comes is not looked at.
        IDLE("idle"),
        /// Nothing is sent, and what comes is read and counted.
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

    /// What a connection that fails does.
    public enum OnError {
        /// It is counted, and stays closed.
        COUNT,
        /// The whole run ends.
        STOP,
        /// It is counted, and opened again.
        RECONNECT
    }

    /// @param interval from one message of a connection to its next; zero: when the answer is in
    /// @param jitter each interval is longer or shorter by up to this
    /// @param bytes of a message
    /// @param timeout an answer that takes longer has timed out
    public record Messages(
            Kind kind, Duration interval, Duration jitter, int bytes, Duration timeout) {
        public static final int BYTES_MAX = (1 << 24) - 1;

        public Messages {
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

        /// Messages a second of so many connections, `NaN` if answers decide when to send.
        public double perSecond(int connections) {
            boolean paced = kind == Kind.ECHO && !interval.isZero();
            return paced ? connections / (interval.toNanos() / 1e9) : Double.NaN;
        }
    }

    /// How connections are opened.
    ///
    /// @param perSecond connects a second, or 0: as fast as they are answered
    /// @param atOnce so many may be on their way: connecting, or without their first answer
    /// @param timeout a connection that takes longer to stand has timed out
    public record Opening(double perSecond, int atOnce, Duration timeout) {}

    /// To whom.
    public record Target(String host, int port, int ports) {}

    /// Reads `tcp://HOST:PORT` or `tcp://HOST:PORT-PORT`.
    ///
    /// @throws UsageException if it is none
    public static Target target(String text) {
        if (!text.startsWith(SCHEME)) {
            throw wrong(text, "it does not begin with " + SCHEME);
        }
        String rest = text.substring(SCHEME.length());
        int colon = rest.lastIndexOf(':');
        if (colon <= 0) {
            throw wrong(text, "it names no host and port");
        }
        String host = rest.substring(0, colon);
        String[] ends = rest.substring(colon + 1).split("-", -1);
        int first = port(text, ends[0]);
        int last = port(text, ends[ends.length - 1]);
        if (ends.length > 2 || last < first) {
            throw wrong(text, "its ports are no range");
        }
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new Target(
                bracketed ? host.substring(1, host.length() - 1) : host, first, last - first + 1);
    }

    private static int port(String text, String part) {
        if (!part.matches("\\d{1,5}")) {
            throw wrong(text, "\"" + part + "\" is no port");
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
