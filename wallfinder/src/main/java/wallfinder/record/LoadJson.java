package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SandboxFacts;

/// Writes a load and its sandbox into `run.json`.
final class LoadJson {
    private LoadJson() {}

    /// Fields that a kind of load does not have are zero, empty or null.
    static Map<String, @Nullable Object> of(LoadOutcome load) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("engine", "command");
        json.put("connections", load.connections());
        json.put("keepalive", true);
        json.put("arrival", LoadWording.arrival(load));
        json.put("requests", load.answered());
        json.put("good", load.good());
        json.put("statuses", load.answers().statuses());
        json.put("sent", load.answered());
        json.put("inFlight", 0);
        json.put("outside", 0);
        json.put("seconds", Rounded.to(3, load.seconds()));
        json.put("throughputPerSecond", answersPerSecond(load));
        json.put("goodPerSecond", throughput(load));
        json.put("clientCpuSeconds", 0);
        json.put("connectionsOpened", 0);
        json.put("bytesReceived", 0);
        json.put("errors", load.errors());
        json.put("errorsByPhase", Map.of());
        json.put("redirects", 0);
        json.put("repeated", 0);
        json.put("responseMicros", micros(load.responseNanos()));
        json.put("serviceMicros", micros(load.times().serviceNanos()));
        json.put("badResponseMicros", micros(load.answers().badNanos()));
        json.put("connectMicros", micros(load.times().connectNanos()));
        json.put("unloadedMicros", micros(new Histogram(3)));
        json.put("generator", null);
        json.put("openLoop", null);
        json.put("tls", null);
        json.put("targets", List.of());
        switch (load) {
            case LoadOutcome.Requests requests -> {
                driven(requests, json);
                requests(requests, json);
            }
            case LoadOutcome.Held held -> driven(held, json);
            case LoadOutcome.Command command -> {
                json.put("clientCpuSeconds", Rounded.to(3, command.clientCpuSeconds()));
                json.put("connectionsOpened", command.connectionsOpened());
            }
            case LoadOutcome.Unseen _ -> {}
        }
        return json;
    }

    private static void driven(LoadOutcome.Driven load, Map<String, @Nullable Object> json) {
        json.put("engine", load.engine().driver());
        json.put("sent", load.sent());
        json.put("inFlight", load.inFlight());
        json.put("outside", Rounded.to(3, load.outside().good()));
        json.put("clientCpuSeconds", Rounded.to(3, load.engine().clientCpuSeconds()));
        json.put("connectionsOpened", load.connectionsOpened());
        json.put("bytesReceived", load.exchanges().bytesReceived());
        json.put("errorsByPhase", load.failures().errorsByPhase());
        json.put("generator", generator(load.generator()));
        switch (load.loop()) {
            case LoadOutcome.Loop.Closed _ -> {}
            case LoadOutcome.Loop.Lockstep(Histogram batches) ->
                    json.put("batchMicros", micros(batches));
            case LoadOutcome.Loop.Open open -> json.put("openLoop", openLoop(open));
        }
    }

    private static void requests(LoadOutcome.Requests load, Map<String, @Nullable Object> json) {
        json.put("keepalive", load.keepalive());
        json.put("redirects", load.redirects());
        json.put("repeated", load.repeated());
        json.put("unloadedMicros", micros(load.unloadedNanos()));
        json.put("tls", tls(load.tls()));
        json.put("targets", load.targets().stream().map(LoadJson::target).toList());
    }

    private static Map<String, @Nullable Object> target(LoadOutcome.Target target) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("request", target.request());
        json.put("requests", target.answered());
        json.put("good", target.answered() - target.bad());
        json.put("errors", target.errors());
        json.put("responseMicros", micros(target.responseNanos()));
        return json;
    }

    private static @Nullable Object answersPerSecond(LoadOutcome load) {
        return load.countsRequests() ? Rounded.to(3, load.answersPerSecond()) : null;
    }

    /// Null if the load is a command that does not report its requests.
    static @Nullable Object throughput(LoadOutcome load) {
        return load.countsRequests() ? Rounded.to(3, load.throughput()) : null;
    }

    static Map<String, @Nullable Object> micros(Histogram nanos) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        boolean any = nanos.getTotalCount() > 0;
        json.put("count", nanos.getTotalCount());
        json.put("mean", any ? tenths(nanos.getMean()) : null);
        json.put("p50", any ? tenths(nanos.getValueAtPercentile(50)) : null);
        json.put("p90", any ? tenths(nanos.getValueAtPercentile(90)) : null);
        json.put("p99", any ? tenths(nanos.getValueAtPercentile(99)) : null);
        json.put("p999", any ? tenths(nanos.getValueAtPercentile(99.9)) : null);
        json.put("p9999", any ? tenths(nanos.getValueAtPercentile(99.99)) : null);
        json.put("max", any ? tenths(nanos.getMaxValue()) : null);
        return json;
    }

    private static @Nullable Object tenths(double nanos) {
        return Rounded.to(1, nanos / 1e3);
    }

    private static Map<String, @Nullable Object> generator(LoadOutcome.Generator generator) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("threads", generator.threads());
        json.put("idleShare", Rounded.to(4, generator.idleShare()));
        json.put("waitingShare", Rounded.to(4, generator.waitingShare()));
        json.put("exhausted", new TreeMap<>(generator.exhausted()));
        json.put("stalls", stalls(generator.stalls()));
        return json;
    }

    private static Map<String, @Nullable Object> stalls(LoadOutcome.Stalls stalls) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("count", stalls.count());
        json.put("micros", tenths(stalls.nanos()));
        json.put("longestMicros", tenths(stalls.longestNanos()));
        json.put("collections", stalls.collections());
        json.put("collectionMicros", tenths(stalls.collectionNanos()));
        return json;
    }

    private static Map<String, @Nullable Object> openLoop(LoadOutcome.Loop.Open open) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("asked", LoadWording.asked(open.arrival()));
        json.put("seed", open.arrival() instanceof Arrival.Poisson poisson ? poisson.seed() : null);
        json.put("waited", open.waited());
        json.put("lateMicros", micros(open.lateNanos()));
        return json;
    }

    private static @Nullable Map<String, @Nullable Object> tls(LoadOutcome.@Nullable Tls tls) {
        if (tls == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("protocol", tls.protocol());
        json.put("cipher", tls.cipher());
        json.put("library", tls.library());
        json.put("trusted", tls.trusted());
        json.put("handshakes", tls.handshakes());
        json.put("resumed", tls.resumed());
        json.put("socketConnectMicros", micros(tls.connectNanos()));
        json.put("handshakeMicros", micros(tls.handshakeNanos()));
        json.put("failure", tls.failure());
        return json;
    }

    static Map<String, @Nullable Object> sandbox(SandboxFacts facts) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("isolation", facts.isolation());
        json.put("serverWatched", facts.serverWatched());
        json.put("serverCpus", facts.serverCpus());
        json.put("clientCpus", facts.clientCpus());
        json.put("sharedCpus", facts.sharedCpus());
        json.put("serverSysctls", facts.serverSysctls());
        json.put("clientSysctls", facts.clientSysctls());
        json.put("services", services(facts.services()));
        return json;
    }

    private static @Nullable Map<String, @Nullable Object> runtime(@Nullable JvmFacts jvm) {
        if (jvm == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("version", jvm.version());
        json.put("vendor", jvm.vendor());
        json.put("home", jvm.home());
        json.put("archive", jvm.archive());
        json.put("archives", jvm.archives());
        json.put("options", jvm.options());
        json.put("mapped", jvm.mapped());
        return json;
    }

    private static List<Map<String, @Nullable Object>> services(
            List<SandboxFacts.ServiceFacts> services) {
        return services.stream()
                .map(service -> {
                    Map<String, @Nullable Object> json = new LinkedHashMap<>();
                    json.put("name", service.name());
                    json.put("pid", service.pid());
                    json.put("listens", service.listens());
                    json.put("unixSockets", service.unixSockets());
                    json.put("settings", service.settings());
                    json.put("jvm", service.jvm());
                    json.put("runtime", runtime(service.runtime()));
                    return json;
                })
                .toList();
    }
}
