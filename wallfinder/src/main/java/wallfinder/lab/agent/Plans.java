package wallfinder.lab.agent;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Body;
import wallfinder.experiment.Expectation;
import wallfinder.experiment.Header;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.Template;
import wallfinder.experiment.Timeouts;
import wallfinder.experiment.TlsSpec;
import wallfinder.experiment.UsageException;
import wallfinder.load.EngineChoice;
import wallfinder.load.Share;

/// The load of a generator, as fields of a message. It names no file, so that an agent reads none.
final class Plans {
    static final int GENERATORS_MAX = 1_000;
    private static final int WEIGHT_MAX = 1_000_000;
    private static final int SOURCES_MAX = 65_536;

    private Plans() {}

    // ---- to fields

    static void fill(LoadMessage.Plan plan, Map<String, @Nullable Object> tree) {
        LoadSpec.Http http = plan.http();
        tree.put("url", http.url());
        tree.put("requests", http.requests().stream().map(Plans::request).toList());
        tree.put("cookies", http.cookies());
        tree.put("connections", http.connections());
        tree.put("threads", http.threads());
        tree.put("keepalive", http.keepalive());
        tree.put("arrival", arrival(http.arrival()));
        tree.put("durationNanos", http.duration().toNanos());
        tree.put("requestsMax", http.requestsMax());
        tree.put("warmupNanos", http.warmup().toNanos());
        Timeouts timeouts = http.timeouts();
        tree.put(
                "timeoutsNanos",
                List.of(
                        timeouts.connect().toNanos(),
                        timeouts.firstByte().toNanos(),
                        timeouts.whole().toNanos()));
        tree.put("insecure", http.tls().insecure());
        tree.put("tls", http.tls().version());
        tree.put("resumption", http.tls().resumption());
        tree.put("statuses", http.expect().statuses());
        tree.put("expected", http.expect().body());
        tree.put("sources", plan.sources().stream().map(InetAddress::getAddress).toList());
        tree.put("share", share(plan.share()));
        tree.put("ofAll", share(plan.ofAll()));
        tree.put("ofHost", share(plan.ofHost()));
        tree.put("engine", plan.engine().word());
        tree.put("settle", plan.settle());
    }

    private static Map<String, @Nullable Object> request(RequestSpec request) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("method", request.method());
        tree.put("path", request.path());
        List<String> headers = new ArrayList<>();
        for (Header header : request.headers()) {
            headers.add(header.name());
            headers.add(header.value());
        }
        tree.put("headers", headers);
        tree.put("body", request.body() instanceof Body.Text(String text) ? text : null);
        tree.put("weight", request.weight());
        return tree;
    }

    private static Map<String, @Nullable Object> arrival(Arrival arrival) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        switch (arrival) {
            case Arrival.Closed _ -> {}
            case Arrival.Lockstep _ -> throw new IllegalArgumentException("lockstep is not split");
            case Arrival.Rate(double perSecond) -> tree.put("perSecond", perSecond);
            case Arrival.Poisson poisson -> {
                tree.put("perSecond", poisson.perSecond());
                tree.put("seed", poisson.drawnSeed());
            }
            case Arrival.Stages(List<Arrival.Stage> stages) ->
                    tree.put(
                            "stages",
                            stages.stream()
                                    .map(one ->
                                            new double[] {
                                                one.length().toNanos(), one.from(), one.to()
                                            })
                                    .toList());
        }
        return tree;
    }

    static int[] share(Share share) {
        return new int[] {share.place(), share.count()};
    }

    // ---- from fields

    /// @throws IllegalArgumentException if a value is impossible
    static LoadMessage.Plan read(JsonNode tree) {
        try {
            return new LoadMessage.Plan(
                    readHttp(tree),
                    readSources(tree.required("sources")),
                    readShare(tree.required("share")),
                    readShare(tree.required("ofAll")),
                    readShare(tree.required("ofHost")),
                    readEngine(tree.required("engine").asString()),
                    tree.required("settle").asBoolean());
        } catch (UsageException e) {
            throw new IllegalArgumentException(e.what() + ": " + e.why(), e);
        }
    }

    private static LoadSpec.Http readHttp(JsonNode tree) {
        List<RequestSpec> requests = new ArrayList<>();
        tree.required("requests").forEach(one -> requests.add(readRequest(one)));
        if (requests.isEmpty()) {
            throw new IllegalArgumentException("a load without a request");
        }
        JsonNode times = tree.required("timeoutsNanos");
        List<String> statuses = new ArrayList<>();
        tree.required("statuses").forEach(status -> statuses.add(status.asString()));
        return new LoadSpec.Http(
                tree.required("url").asString(),
                List.copyOf(requests),
                tree.required("cookies").asBoolean(),
                positive(tree.required("connections"), LoadSpec.Http.CONNECTIONS_MAX),
                positive(tree.required("threads"), LoadSpec.Http.THREADS_MAX),
                tree.required("keepalive").asBoolean(),
                readArrival(tree.required("arrival")),
                nanos(tree.required("durationNanos"), LoadSpec.Http.DURATION_MAX),
                readRequestsMax(tree.required("requestsMax")),
                nanos(tree.required("warmupNanos"), LoadSpec.Http.DURATION_MAX),
                new Timeouts(
                        nanos(times.required(0), LoadSpec.Http.DURATION_MAX),
                        nanos(times.required(1), LoadSpec.Http.DURATION_MAX),
                        nanos(times.required(2), LoadSpec.Http.DURATION_MAX)),
                null,
                new TlsSpec(
                        null,
                        null,
                        null,
                        tree.required("insecure").asBoolean(),
                        text(tree.required("tls")),
                        tree.required("resumption").asBoolean()),
                new Expectation(statuses, text(tree.required("expected"))),
                List.of());
    }

    private static RequestSpec readRequest(JsonNode tree) {
        List<Header> headers = new ArrayList<>();
        JsonNode texts = tree.required("headers");
        for (int i = 0; i < texts.size(); i += 2) {
            String value = texts.required(i + 1).asString();
            Template.parse(value);
            headers.add(new Header(texts.required(i).asString(), value));
        }
        String path = tree.required("path").asString();
        Template.parse(path);
        String body = text(tree.required("body"));
        if (body != null) {
            Template.parse(body);
        }
        return new RequestSpec(
                tree.required("method").asString(),
                path,
                headers,
                body == null ? null : new Body.Text(body),
                positive(tree.required("weight"), WEIGHT_MAX));
    }

    private static Arrival readArrival(JsonNode tree) {
        if (tree.has("stages")) {
            return readStages(tree.required("stages"));
        }
        if (!tree.has("perSecond")) {
            return new Arrival.Closed();
        }
        double perSecond = rate(tree.required("perSecond"));
        if (perSecond == 0) {
            throw new IllegalArgumentException("a rate of 0");
        }
        return tree.has("seed")
                ? new Arrival.Poisson(perSecond, tree.required("seed").asLong())
                : new Arrival.Rate(perSecond);
    }

    private static Arrival readStages(JsonNode trees) {
        if (trees.isEmpty() || trees.size() > Arrival.Open.STAGES_MAX) {
            throw new IllegalArgumentException(trees.size() + " stages");
        }
        List<Arrival.Stage> stages = new ArrayList<>();
        for (JsonNode stage : trees) {
            double length = stage.required(0).asDouble();
            if (!(length >= 1 && length <= LoadSpec.Http.DURATION_MAX.toNanos())) {
                throw new IllegalArgumentException("a stage of an impossible length");
            }
            stages.add(
                    new Arrival.Stage(
                            Duration.ofNanos((long) length),
                            rate(stage.required(1)),
                            rate(stage.required(2))));
        }
        return new Arrival.Stages(stages);
    }

    static double rate(JsonNode number) {
        double rate = number.asDouble();
        if (!(rate >= 0 && rate <= Arrival.Open.RATE_MAX)) {
            throw new IllegalArgumentException("a rate of " + rate);
        }
        return rate;
    }

    private static long readRequestsMax(JsonNode number) {
        long max = number.asLong();
        if (max < 1) {
            throw new IllegalArgumentException("a load of " + max + " requests");
        }
        return max;
    }

    static List<InetAddress> readSources(JsonNode trees) {
        if (trees.size() > SOURCES_MAX) {
            throw new IllegalArgumentException("too many sources");
        }
        List<InetAddress> sources = new ArrayList<>();
        for (JsonNode bytes : trees) {
            sources.add(address(bytes.binaryValue()));
        }
        return List.copyOf(sources);
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of %d bytes".formatted(bytes.length), e);
        }
    }

    static Share readShare(JsonNode tree) {
        int count = positive(tree.required(1), GENERATORS_MAX);
        return new Share((int) Outcomes.count(tree.required(0), count - 1L), count);
    }

    private static EngineChoice readEngine(String word) {
        for (EngineChoice choice : EngineChoice.values()) {
            if (choice.word().equals(word)) {
                return choice;
            }
        }
        throw new IllegalArgumentException("an unknown engine");
    }

    static int positive(JsonNode number, int max) {
        int count = (int) Outcomes.count(number, max);
        if (count == 0) {
            throw new IllegalArgumentException("a count of 0");
        }
        return count;
    }

    static Duration nanos(JsonNode number, Duration max) {
        return Duration.ofNanos(Outcomes.count(number, max.toNanos()));
    }

    private static @Nullable String text(JsonNode text) {
        return text.isNull() ? null : text.asString();
    }
}
