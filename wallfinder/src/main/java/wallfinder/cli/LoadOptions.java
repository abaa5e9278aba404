package wallfinder.cli;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;
import wallfinder.lab.SourceRange;

/// How a URL is driven; the names are wrk's where it has them.
final class LoadOptions {
    private static final double RATE_MAX = 10_000_000;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            defaultValue = "10",
            description = "Connections to keep busy (default: ${DEFAULT-VALUE}; 10k is 10000).")
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
            defaultValue = "10s",
            description = "How long to measure (default: ${DEFAULT-VALUE}).")
    String duration = "10s";

    @Option(
            names = {"-H", "--header"},
            paramLabel = "'NAME: VALUE'",
            description = "A header to send; may be given several times.")
    List<String> headers = new ArrayList<>();

    @Option(
            names = {"-m", "--method"},
            paramLabel = "METHOD",
            defaultValue = "GET",
            description = "The request's method (default: ${DEFAULT-VALUE}).")
    String method = "GET";

    @Option(
            names = {"-b", "--body"},
            paramLabel = "TEXT",
            description = "The request's body.")
    @Nullable String body;

    @Option(names = "--no-keepalive", description = "Open a connection for each request.")
    boolean noKeepalive;

    @Option(
            names = {"-R", "--rate"},
            paramLabel = "N",
            description =
                    "Requests a second, sent when they are due, whatever the answers do (an open"
                            + " loop). Without it each connection sends when it is answered.")
    @Nullable String rate;

    @Option(
            names = "--lockstep",
            description =
                    "All connections send at once; the next batch goes when the last answer is in.")
    boolean lockstep;

    @Option(
            names = {"-T", "--timeout"},
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "An exchange that takes longer is an error (default: ${DEFAULT-VALUE}).")
    String timeout = "10s";

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "0s",
            description =
                    "Drive until the rate is steady, at most this long, before measuring"
                            + " (default: ${DEFAULT-VALUE}).")
    String warmup = "0s";

    @Option(
            names = "--source",
            paramLabel = "ADDR[-ADDR]",
            description = "The addresses to connect from (default: the kernel's choice).")
    @Nullable String source;

    @Option(
            names = "--objective",
            paramLabel = "EXPRESSION",
            description = "What must hold, such as 'p99 < 50ms'; exit code 1 if it does not.")
    @Nullable String objective;

    @Option(names = "--latency", hidden = true, description = "wrk's: latencies are always shown.")
    boolean latency;

    @Mixin TlsOptions tls = new TlsOptions();

    @Option(
            names = {"-s", "--script"},
            hidden = true,
            description = "wrk's; refused.")
    @Nullable String script;

    LoadSpec.Http spec(String url) {
        if (script != null) {
            throw new UsageException(
                    "-s " + script + " cannot be used",
                    "wrk's Lua scripts are not run here",
                    "use -m, -H and -b for the request; lists of targets (--targets) are not available yet");
        }
        return new LoadSpec.Http(
                url,
                token(method),
                headers(),
                body,
                count("--connections", connections),
                count("--threads", threads),
                !noKeepalive,
                arrival(),
                positive("--duration", duration),
                Quantity.duration(warmup),
                positive("--timeout", timeout),
                tls.spec());
    }

    private Arrival arrival() {
        if (rate == null) {
            return lockstep ? new Arrival.Lockstep() : new Arrival.Closed();
        }
        if (lockstep) {
            throw new UsageException(
                    "--rate and --lockstep cannot be used together",
                    "a rate sends by the clock, lockstep by the answers",
                    "leave one of them out");
        }
        double perSecond = Quantity.number(rate);
        if (perSecond <= 0 || perSecond > RATE_MAX) {
            throw new UsageException(
                    "--rate " + rate + " cannot be used",
                    "it is not above 0 and at most 10 million",
                    "give another number, as in 5k");
        }
        return new Arrival.Rate(perSecond);
    }

    List<InetAddress> sources() {
        return source == null ? List.of() : SourceRange.parse(source);
    }

    @Nullable Objective objective() {
        return objective == null ? null : Objective.parse(objective);
    }

    private static int count(String option, String text) {
        long count = Quantity.count(text);
        if (count < 1 || count > 1_000_000) {
            throw new UsageException(
                    option + " " + text + " cannot be used",
                    "it is not between 1 and 1000000",
                    "give another number");
        }
        return (int) count;
    }

    private static Duration positive(String option, String text) {
        Duration time = Quantity.duration(text);
        if (time.isZero() || time.isNegative()) {
            throw new UsageException(
                    option + " " + text + " cannot be used", "it is no time", "give one as in 30s");
        }
        return time;
    }

    private static String token(String method) {
        if (!method.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}")) {
            throw new UsageException(
                    "the method \"" + method + "\" cannot be used",
                    "it is not a token of HTTP (RFC 9110, section 5.6.2)",
                    "use one such as GET or POST");
        }
        return method;
    }

    private Map<String, String> headers() {
        Map<String, String> all = new LinkedHashMap<>();
        for (String header : headers) {
            int colon = header.indexOf(':');
            if (colon < 1 || header.chars().anyMatch(c -> c < ' ' && c != '\t')) {
                throw new UsageException(
                        "the header \"" + header + "\" cannot be used",
                        "it has no name before a colon, or a control character",
                        "write it as in -H 'Accept: application/json'");
            }
            all.put(header.substring(0, colon).strip(), header.substring(colon + 1).strip());
        }
        return all;
    }
}
