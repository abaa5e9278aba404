package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.HoldSpec;
import wallfinder.load.Probe;
import wallfinder.observation.Answers;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Outside;
import wallfinder.observation.Thinned;

/// What a generator counted, as fields of a message.
final class Outcomes {
    /// The times in order only give an interval of a percentile; some thousand do.
    static final int THINNED_MAX = 1 << 13;

    /// Five counts of exchanges, and the time of those that failed.
    private static final int EXCHANGES = 6;

    private static final int TARGETS_MAX = 100;
    private static final int THREADS_MAX = 1_000_000;
    private static final Pattern STATUS = Pattern.compile("\\d{1,3}");

    static final Set<String> KINDS =
            Stream.of(ErrorKind.values()).map(ErrorKind::word).collect(Collectors.toSet());
    private static final Set<String> PHASES =
            Stream.of(ErrorPhase.values()).map(ErrorPhase::word).collect(Collectors.toSet());
    private static final Set<String> RESOURCES = Set.of("ports", "descriptors", "epoll watches");

    private Outcomes() {}

    // ---- to fields

    static Map<String, @Nullable Object> tree(LoadOutcome.Requests load) {
        Map<String, @Nullable Object> tree = driven(load);
        tree.put("keepalive", load.keepalive());
        tree.put("redirects", load.redirects());
        tree.put("repeated", load.repeated());
        tree.put("statuses", load.answers().statuses());
        tree.put("badStatuses", load.answers().badStatuses());
        tree.put("bad", Histograms.bytes(load.answers().badNanos()));
        if (load.tls() != null) {
            tree.put("tls", tls(load.tls()));
        }
        tree.put("targets", targets(load.targets()));
        return tree;
    }

    /// What each kind of load has.
    static Map<String, @Nullable Object> driven(LoadOutcome.Driven load) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("driver", load.engine().driver());
        tree.put("cpuSeconds", load.engine().clientCpuSeconds());
        tree.put("generator", generator(load.generator()));
        tree.put("connections", load.connections());
        tree.put("seconds", load.seconds());
        ExchangeCounts exchanges = load.exchanges();
        tree.put(
                "exchanges",
                new long[] {
                    exchanges.sent(),
                    exchanges.answered(),
                    exchanges.inFlight(),
                    exchanges.bytesReceived(),
                    exchanges.connectionsOpened(),
                    load.failures().failedNanos()
                });
        tree.put("outsideGood", exchanges.outsideGood());
        tree.put("outsideBad", exchanges.outsideBad());
        tree.put("outsideNanos", exchanges.outsideNanos());
        tree.put("errors", load.failures().errors());
        tree.put("phases", load.failures().errorsByPhase());
        tree.put("response", Histograms.bytes(load.times().responseNanos()));
        tree.put("service", Histograms.bytes(load.times().serviceNanos()));
        tree.put("connect", Histograms.bytes(load.times().connectNanos()));
        Thinned thinned = load.times().thinned().atMost(THINNED_MAX);
        tree.put("stride", thinned.stride());
        tree.put("thinned", thinned.values());
        if (load.loop() instanceof LoadOutcome.Loop.Open open) {
            tree.put("waited", open.waited());
            tree.put("late", Histograms.bytes(open.lateNanos()));
            tree.put("gaps", Histograms.bytes(open.gapNanos()));
        }
        return tree;
    }

    private static Map<String, @Nullable Object> generator(LoadOutcome.Generator generator) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("threads", generator.threads());
        tree.put("idleShare", generator.idleShare());
        tree.put("waitingShare", generator.waitingShare());
        tree.put("exhausted", generator.exhausted());
        LoadOutcome.Stalls stalls = generator.stalls();
        tree.put(
                "stalls",
                new long[] {
                    stalls.count(),
                    stalls.nanos(),
                    stalls.longestNanos(),
                    stalls.collections(),
                    stalls.collectionNanos()
                });
        return tree;
    }

    private static Map<String, @Nullable Object> tls(LoadOutcome.Tls tls) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("protocol", tls.protocol());
        tree.put("cipher", tls.cipher());
        tree.put("library", tls.library());
        tree.put("trusted", tls.trusted());
        tree.put("handshakes", tls.handshakes());
        tree.put("resumed", tls.resumed());
        tree.put("connect", Histograms.bytes(tls.connectNanos()));
        tree.put("handshake", Histograms.bytes(tls.handshakeNanos()));
        tree.put("failure", tls.failure());
        return tree;
    }

    private static List<Map<String, @Nullable Object>> targets(List<LoadOutcome.Target> targets) {
        List<Map<String, @Nullable Object>> trees = new ArrayList<>();
        for (LoadOutcome.Target target : targets) {
            Map<String, @Nullable Object> tree = new LinkedHashMap<>();
            tree.put("request", target.request());
            tree.put("answered", target.answered());
            tree.put("errors", target.errors());
            tree.put("response", Histograms.bytes(target.responseNanos()));
            trees.add(tree);
        }
        return trees;
    }

    static Map<String, @Nullable Object> tree(Probe probe) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("response", Histograms.bytes(probe.responseNanos()));
        tree.put("targets", targets(probe.targets()));
        tree.put("good", probe.good());
        tree.put("bad", probe.bad());
        tree.put("sent", probe.sent());
        tree.put("handshakes", probe.handshakes());
        return tree;
    }

    // ---- from fields

    /// @param arrival what the load asked for
    /// @throws IllegalArgumentException if a figure is impossible
    /// @throws tools.jackson.core.JacksonException if one is missing or of another type
    static LoadOutcome.Requests read(JsonNode tree, Arrival arrival) {
        LoadOutcome.Requests load =
                new LoadOutcome.Requests(
                        readEngine(tree),
                        readConnections(tree),
                        tree.required("keepalive").asBoolean(),
                        readLoop(tree, arrival),
                        amount(tree, "seconds"),
                        readExchanges(tree),
                        readFailures(tree),
                        readTimes(tree),
                        Histograms.empty(),
                        new Answers(
                                counts(tree.required("statuses"), STATUS.asMatchPredicate()),
                                counts(tree.required("badStatuses"), STATUS.asMatchPredicate()),
                                histogram(tree, "bad"),
                                0,
                                0),
                        count(tree.required("redirects")),
                        count(tree.required("repeated")),
                        tree.has("tls") ? readTls(tree.required("tls")) : null,
                        readTargets(tree.required("targets")));
        if (load.sent() != load.answered() + load.networkErrors() + load.inFlight()
                || load.good() != load.responseNanos().getTotalCount()) {
            throw new IllegalArgumentException("counts that do not add up");
        }
        return load;
    }

    static LoadOutcome.Engine readEngine(JsonNode tree) {
        return new LoadOutcome.Engine(
                tree.required("driver").asString(),
                amount(tree, "cpuSeconds"),
                readGenerator(tree.required("generator")));
    }

    static int readConnections(JsonNode tree) {
        return (int) count(tree.required("connections"), HoldSpec.CONNECTIONS_MAX);
    }

    static ExchangeCounts readExchanges(JsonNode tree) {
        long[] exchanges = counts(tree.required("exchanges"), EXCHANGES);
        return new ExchangeCounts(
                exchanges[0],
                exchanges[1],
                exchanges[2],
                exchanges[3],
                exchanges[4],
                new Outside(
                        amount(tree, "outsideGood"),
                        amount(tree, "outsideBad"),
                        amount(tree, "outsideNanos")));
    }

    static LoadOutcome.Failures readFailures(JsonNode tree) {
        return new LoadOutcome.Failures(
                counts(tree.required("errors"), KINDS::contains),
                readPhases(tree.required("phases")),
                counts(tree.required("exchanges"), EXCHANGES)[5]);
    }

    static LoadOutcome.Times readTimes(JsonNode tree) {
        return new LoadOutcome.Times(
                histogram(tree, "response"),
                histogram(tree, "service"),
                histogram(tree, "connect"),
                readThinned(tree));
    }

    private static LoadOutcome.Generator readGenerator(JsonNode tree) {
        long[] stalls = counts(tree.required("stalls"), 5);
        return new LoadOutcome.Generator(
                (int) count(tree.required("threads"), THREADS_MAX),
                share(tree, "idleShare"),
                share(tree, "waitingShare"),
                counts(tree.required("exhausted"), RESOURCES::contains),
                new LoadOutcome.Stalls(stalls[0], stalls[1], stalls[2], stalls[3], stalls[4]));
    }

    static LoadOutcome.Loop readLoop(JsonNode tree, Arrival arrival) {
        return switch (arrival) {
            case Arrival.Closed _ -> new LoadOutcome.Loop.Closed();
            case Arrival.Lockstep _ ->
                    throw new IllegalArgumentException("lockstep has only one generator");
            case Arrival.Open open ->
                    new LoadOutcome.Loop.Open(
                            open,
                            count(tree.required("waited")),
                            histogram(tree, "late"),
                            histogram(tree, "gaps"));
        };
    }

    private static SortedMap<String, SortedMap<String, Long>> readPhases(JsonNode tree) {
        SortedMap<String, SortedMap<String, Long>> phases = new TreeMap<>();
        tree.forEachEntry((phase, errors) -> {
            if (!PHASES.contains(phase)) {
                throw new IllegalArgumentException("an unknown phase");
            }
            phases.put(phase, counts(errors, KINDS::contains));
        });
        return phases;
    }

    private static Thinned readThinned(JsonNode tree) {
        JsonNode values = tree.required("thinned");
        if (values.size() > THINNED_MAX) {
            throw new IllegalArgumentException("too many times");
        }
        long stride = count(tree.required("stride"));
        if (stride == 0) {
            throw new IllegalArgumentException("every 0th time");
        }
        return new Thinned(stride, counts(values, values.size()));
    }

    private static LoadOutcome.Tls readTls(JsonNode tree) {
        return new LoadOutcome.Tls(
                text(tree, "protocol"),
                text(tree, "cipher"),
                tree.required("library").asString(),
                tree.required("trusted").asString(),
                count(tree.required("handshakes")),
                count(tree.required("resumed")),
                histogram(tree, "connect"),
                histogram(tree, "handshake"),
                text(tree, "failure"));
    }

    private static List<LoadOutcome.Target> readTargets(JsonNode trees) {
        if (trees.size() > TARGETS_MAX) {
            throw new IllegalArgumentException("too many targets");
        }
        List<LoadOutcome.Target> targets = new ArrayList<>();
        for (JsonNode tree : trees) {
            Histogram response = histogram(tree, "response");
            Histogram none = response.copy();
            none.reset();
            targets.add(
                    new LoadOutcome.Target(
                            tree.required("request").asString(),
                            count(tree.required("answered")),
                            counts(tree.required("errors"), KINDS::contains),
                            response,
                            none));
        }
        return targets;
    }

    static Probe readProbe(JsonNode tree) {
        return new Probe(
                histogram(tree, "response"),
                readTargets(tree.required("targets")),
                count(tree.required("good")),
                count(tree.required("bad")),
                count(tree.required("sent")),
                count(tree.required("handshakes")));
    }

    static Histogram histogram(JsonNode tree, String name) {
        return Histograms.read(tree.required(name).binaryValue());
    }

    private static @Nullable String text(JsonNode tree, String name) {
        JsonNode text = tree.required(name);
        return text.isNull() ? null : text.asString();
    }

    private static double share(JsonNode tree, String name) {
        double share = tree.required(name).asDouble();
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException(name + " is no share");
        }
        return share;
    }

    static double amount(JsonNode tree, String name) {
        double amount = tree.required(name).asDouble();
        if (!(amount >= 0 && amount < Long.MAX_VALUE)) {
            throw new IllegalArgumentException("an impossible " + name);
        }
        return amount;
    }

    static long count(JsonNode number) {
        return count(number, Long.MAX_VALUE / 2);
    }

    static long count(JsonNode number, long max) {
        long count = number.asLong();
        if (count < 0 || count > max) {
            throw new IllegalArgumentException("a count of " + count);
        }
        return count;
    }

    private static long[] counts(JsonNode numbers, int length) {
        if (numbers.size() != length) {
            throw new IllegalArgumentException("another number of counts");
        }
        long[] counts = new long[length];
        for (int i = 0; i < length; i++) {
            counts[i] = count(numbers.required(i));
        }
        return counts;
    }

    static SortedMap<String, Long> counts(JsonNode tree, Predicate<String> known) {
        SortedMap<String, Long> counts = new TreeMap<>();
        tree.forEachEntry((name, number) -> {
            if (!known.test(name)) {
                throw new IllegalArgumentException("an unknown count");
            }
            counts.put(name, count(number));
        });
        return counts;
    }
}
