package wallfinder.cli;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.Targets;
import wallfinder.experiment.Timeouts;
import wallfinder.experiment.UsageException;
import wallfinder.lab.trial.Origin;

/// The load on a URL. Options that wrk has, too, have its names.
final class LoadOptions {
    /// For commands that need a warm service. One that has been running for long is warm sooner.
    static final Duration WARMUP_UNTIL_WARM = Duration.ofSeconds(60);

    private static final Duration DURATION_DEFAULT = Duration.ofSeconds(10);

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Connections to keep busy (default: ${DEFAULT-VALUE}; capacity: 100; 10k is 10000).")
    String connections = "10";

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            defaultValue = "1",
            description = "Engine threads (default: ${DEFAULT-VALUE}).")
    String threads = "1";

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description =
                    "How long to measure (default: 10s, or as long as -n or the"
                            + " --stages take).")
    @Nullable String duration;

    @Option(
            names = {"-n", "--requests"},
            paramLabel = "N",
            description =
                    "End after this many exchanges (a request and its answer), and measure all of"
                            + " them. -d then limits the time, if it is given.")
    @Nullable String requests;

    @Mixin RequestOptions asked = new RequestOptions();

    @Option(names = "--no-keepalive", description = "Open a connection for each request.")
    boolean noKeepalive;

    @Mixin ExpectOptions expect = new ExpectOptions();

    @Mixin ArrivalOptions arrivals = new ArrivalOptions();

    @Option(
            names = {"-T", "--timeout"},
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "An exchange that takes longer is an error (default: ${DEFAULT-VALUE}).")
    String timeout = "10s";

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            description = "A connect that takes longer is an error (default: that of -T).")
    @Nullable String connectTimeout;

    @Option(
            names = "--first-byte-timeout",
            paramLabel = "TIME",
            description =
                    "An answer whose first byte takes longer, from when the request was sent, is an"
                            + " error (default: that of -T).")
    @Nullable String firstByteTimeout;

    @Option(
            names = "--unix-socket",
            paramLabel = "PATH",
            description =
                    "Connect to this unix socket instead of the URL's host and port (@NAME: an"
                            + " abstract one).")
    @Nullable String unix;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            description =
                    "Drive until the service is warm, at most this long, before measuring"
                            + " (default: 0s; find, capacity and profile: 60s).")
    @Nullable String warmup;

    @Mixin DriverOptions driver = new DriverOptions();

    @Mixin TlsOptions tls = new TlsOptions();

    @Option(
            names = "--latency",
            hidden = true,
            description = "From wrk, without effect: latencies are always shown.")
    boolean latency;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Spec(Spec.Target.SELF)
    private CommandSpec self;

    /// picocli sets the specs.
    @SuppressWarnings("NullAway.Init")
    LoadOptions() {}

    /// Those of the load that the user gave.
    GivenOptions given() {
        return new GivenOptions(command, self.options());
    }

    /// @param url empty if none was given
    /// @param warmupDefault the warm-up without the option
    LoadSpec.Http spec(String url, Duration warmupDefault) {
        Targets targets = asked.requests(url);
        Arrival arrival = arrivals.arrival();
        return new LoadSpec.Http(
                targets.url(),
                targets.requests(),
                asked.cookies,
                Bounded.count("--connections", connections, LoadSpec.Http.CONNECTIONS_MAX),
                Bounded.count("--threads", threads, LoadSpec.Http.THREADS_MAX),
                !noKeepalive,
                arrival,
                duration(arrival),
                requestsMax(),
                warmup == null ? warmupDefault : Quantity.duration(warmup),
                timeouts(),
                unix,
                tls.spec(),
                expect.expectation(),
                List.of());
    }

    private Timeouts timeouts() {
        Duration whole = Bounded.duration("--timeout", timeout);
        return new Timeouts(
                Bounded.duration("--connect-timeout", connectTimeout, whole),
                Bounded.duration("--first-byte-timeout", firstByteTimeout, whole),
                whole);
    }

    private Duration duration(Arrival arrival) {
        if (duration != null) {
            return Bounded.duration("--duration", duration);
        }
        if (arrival instanceof Arrival.Stages stages) {
            return stages.length();
        }
        return requests == null ? DURATION_DEFAULT : LoadSpec.Http.DURATION_MAX;
    }

    private long requestsMax() {
        if (requests == null) {
            return LoadSpec.Http.NO_REQUESTS_MAX;
        }
        long count = Quantity.count(requests);
        if (count < 1 || count == LoadSpec.Http.NO_REQUESTS_MAX) {
            throw new UsageException(
                    "--requests " + requests + " cannot be used",
                    "it must be 1 or more",
                    "give another number");
        }
        return count;
    }

    Origin origin() {
        if (driver.source != null && unix != null) {
            throw new UsageException(
                    "--source and --unix-socket cannot be used together",
                    "a unix socket has no source addresses",
                    "leave one of them out");
        }
        return driver.origin();
    }
}
