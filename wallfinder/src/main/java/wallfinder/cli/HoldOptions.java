package wallfinder.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;
import wallfinder.lab.hold.Hold;

/// How connections are opened, and the messages over them.
final class HoldOptions {
    private static final int SYNTHETIC_BYTES_MAX = 65_535;
    private static final Duration KEEPALIVE_IDLE = Duration.ofSeconds(60);

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            defaultValue = "100",
            description = "Connections to keep open (default: ${DEFAULT-VALUE}; 10k is 10000).")
    String connections = "100";

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            defaultValue = "10s",
            description =
                    "How long to keep them open, counted from when each is open or has failed"
                            + " (default: ${DEFAULT-VALUE}).")
    String duration = "10s";

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            description = "Engine threads (default: as many as the descriptors need).")
    @Nullable String threads;

    @Option(
            names = "--connect-rate",
            paramLabel = "N",
            description = "Connects a second (default: as fast as the server answers).")
    @Nullable String connectRate;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "0s",
            description = "Instead of --connect-rate: spread the connects evenly over this time.")
    String warmup = "0s";

    @Option(
            names = "--connect-concurrency",
            paramLabel = "N",
            defaultValue = "128",
            description =
                    "The most connections at a time that are connecting or wait for their first"
                            + " answer (default: ${DEFAULT-VALUE}).")
    String connectConcurrency = "128";

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "A connect that takes longer has timed out (default: ${DEFAULT-VALUE}).")
    String connectTimeout = "10s";

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description =
                    "From one message of a connection to its next (default: ${DEFAULT-VALUE}). With"
                            + " 0s the next message follows each answer.")
    String interval = "1s";

    @Option(
            names = "--jitter",
            paramLabel = "TIME",
            defaultValue = "0s",
            description = "Each interval is longer or shorter by up to this time.")
    String jitter = "0s";

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "32",
            description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
    String size = "32";

    @Option(
            names = {"-T", "--timeout"},
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "An answer that takes longer has timed out (default: ${DEFAULT-VALUE}).")
    String timeout = "10s";

    @Option(names = "--idle", description = "Send nothing and expect nothing.")
    boolean idle;

    @Option(names = "--push", description = "Send nothing and read what the server sends.")
    boolean push;

    @Option(
            names = "--keepalive-interval",
            paramLabel = "TIME",
            description =
                    "The kernel probes a connection that has been silent for this time (default:"
                            + " off, or 60s with --idle).")
    @Nullable String keepalive;

    @Option(
            names = "--on-error",
            paramLabel = "WHAT",
            defaultValue = "count",
            description =
                    "What to do when a connection fails: count (nothing more), stop (end the"
                            + " run) or reconnect (default: ${DEFAULT-VALUE}).")
    HoldSpec.OnError onError = HoldSpec.OnError.COUNT;

    @Option(
            names = "--synthetic",
            description =
                    "Speak TCP in user space instead of opening sockets, over a TUN device with the"
                            + " target's address: for more connections than this host has sockets"
                            + " for. Run hold and the server in a network namespace (unshare -n).")
    boolean synthetic;

    @Option(
            names = "--memory-floor",
            paramLabel = "SIZE",
            defaultValue = "1g",
            description =
                    "End when the host has less memory than this left (default:"
                            + " ${DEFAULT-VALUE}).")
    String memoryFloor = "1g";

    @Mixin DriverOptions driver = new DriverOptions();

    HoldSpec spec(String target) {
        HoldSpec.Target to = HoldSpec.target(target);
        int count = Bounded.count("--connections", connections, HoldSpec.CONNECTIONS_MAX);
        return new HoldSpec(
                to.host(),
                to.port(),
                to.ports(),
                count,
                Bounded.count("--threads", threads, HoldSpec.THREADS_MAX, 0),
                messages(),
                opening(count),
                keepalive(),
                onError,
                Bounded.duration("--duration", duration));
    }

    private HoldSpec.Messages messages() {
        if (idle && push) {
            throw new UsageException(
                    "--idle and --push cannot be used together",
                    "--idle expects no data, --push reads data",
                    "leave one of them out");
        }
        return new HoldSpec.Messages(
                idle ? HoldSpec.Kind.IDLE : push ? HoldSpec.Kind.PUSH : HoldSpec.Kind.ECHO,
                Quantity.duration(interval),
                Quantity.duration(jitter),
                (int) Math.min(Integer.MAX_VALUE, Quantity.bytes(size)),
                Bounded.duration("--timeout", timeout));
    }

    private HoldSpec.Opening opening(int count) {
        Duration spread = Quantity.duration(warmup);
        if (connectRate != null && !spread.isZero()) {
            throw new UsageException(
                    "--connect-rate and --warmup cannot be used together",
                    "both set how fast to connect",
                    "leave one of them out");
        }
        double perSecond =
                connectRate != null
                        ? Quantity.number(connectRate)
                        : spread.isZero() ? 0 : count / (spread.toNanos() / 1e9);
        return new HoldSpec.Opening(
                perSecond,
                Bounded.count(
                        "--connect-concurrency", connectConcurrency, HoldSpec.CONNECTIONS_MAX),
                Bounded.duration("--connect-timeout", connectTimeout));
    }

    private Duration keepalive() {
        return keepalive == null
                ? idle ? KEEPALIVE_IDLE : Duration.ZERO
                : HoldSpec.keepalive(Quantity.duration(keepalive), keepalive);
    }

    Hold.Means means() {
        if (synthetic && Quantity.bytes(size) > SYNTHETIC_BYTES_MAX) {
            throw new UsageException(
                    "--size " + size + " cannot be used with --synthetic",
                    "a message of a synthetic peer has at most " + SYNTHETIC_BYTES_MAX + " bytes",
                    "give a smaller --size");
        }
        return new Hold.Means(synthetic, Quantity.bytes(memoryFloor));
    }
}
