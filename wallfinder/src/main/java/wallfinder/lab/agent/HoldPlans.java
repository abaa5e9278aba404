package wallfinder.lab.agent;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;

/// The connections that a generator holds, as fields of a message.
final class HoldPlans {
    private static final int PORTS_MAX = 65_535;
    private static final long BYTES_MAX = 1L << 60;
    private static final Duration TIME_MAX = LoadSpec.Http.DURATION_MAX;

    private HoldPlans() {}

    static void fill(LoadMessage.Hold hold, Map<String, @Nullable Object> tree) {
        HoldSpec spec = hold.spec();
        HoldSpec.Messages messages = spec.messages();
        tree.put("host", spec.host());
        tree.put("port", spec.port());
        tree.put("ports", spec.ports());
        tree.put("connections", spec.connections());
        tree.put("threads", spec.threads());
        tree.put("kind", messages.kind().word());
        tree.put("intervalNanos", messages.interval().toNanos());
        tree.put("jitterNanos", messages.jitter().toNanos());
        tree.put("bytes", messages.bytes());
        tree.put("timeoutNanos", messages.timeout().toNanos());
        tree.put("perSecond", spec.opening().perSecond());
        tree.put("atOnce", spec.opening().atOnce());
        tree.put("connectNanos", spec.opening().timeout().toNanos());
        tree.put("keepaliveNanos", spec.keepalive().toNanos());
        tree.put("onError", spec.onError().name());
        tree.put("durationNanos", spec.duration().toNanos());
        tree.put("sources", hold.sources().stream().map(InetAddress::getAddress).toList());
        tree.put("ofHost", Plans.share(hold.ofHost()));
        tree.put("memoryFloorBytes", hold.memoryFloorBytes());
    }

    /// @throws IllegalArgumentException if a value is impossible
    static LoadMessage.Hold read(JsonNode tree) {
        try {
            return new LoadMessage.Hold(
                    readSpec(tree),
                    Plans.readSources(tree.required("sources")),
                    Plans.readShare(tree.required("ofHost")),
                    Outcomes.count(tree.required("memoryFloorBytes"), BYTES_MAX));
        } catch (UsageException e) {
            throw new IllegalArgumentException(e.what() + ": " + e.why(), e);
        }
    }

    private static HoldSpec readSpec(JsonNode tree) {
        return new HoldSpec(
                tree.required("host").asString(),
                Plans.positive(tree.required("port"), PORTS_MAX),
                Plans.positive(tree.required("ports"), PORTS_MAX),
                Plans.positive(tree.required("connections"), HoldSpec.CONNECTIONS_MAX),
                (int) Outcomes.count(tree.required("threads"), HoldSpec.THREADS_MAX),
                new HoldSpec.Messages(
                        kind(tree.required("kind").asString()),
                        Plans.nanos(tree.required("intervalNanos"), TIME_MAX),
                        Plans.nanos(tree.required("jitterNanos"), TIME_MAX),
                        Plans.positive(tree.required("bytes"), HoldSpec.Messages.BYTES_MAX),
                        Plans.nanos(tree.required("timeoutNanos"), TIME_MAX)),
                new HoldSpec.Opening(
                        Plans.rate(tree.required("perSecond")),
                        Plans.positive(tree.required("atOnce"), Integer.MAX_VALUE),
                        Plans.nanos(tree.required("connectNanos"), TIME_MAX)),
                Plans.nanos(tree.required("keepaliveNanos"), TIME_MAX),
                HoldSpec.OnError.valueOf(tree.required("onError").asString()),
                Plans.nanos(tree.required("durationNanos"), TIME_MAX));
    }

    private static HoldSpec.Kind kind(String word) {
        for (HoldSpec.Kind kind : HoldSpec.Kind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("an unknown kind of messages");
    }
}
