package wallfinder.lab.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import wallfinder.record.NumberText;
import wallfinder.record.StoredRun.Load;

/// A stored load in words.
final class Loads {
    private Loads() {}

    /// What the load asks of a service: `256 connections in lockstep, one per request`.
    static String describe(@Nullable Load load) {
        return load == null ? "a load that was not seen" : String.join(", ", parts(load).values());
    }

    /// The same without the rate, for the trials of a search for a rate.
    static String withoutRate(@Nullable Load load) {
        if (load == null) {
            return describe(null);
        }
        SequencedMap<String, String> parts = parts(load);
        parts.remove("arrival");
        return String.join(", ", parts.values());
    }

    /// The same part by part.
    static SequencedMap<String, String> parts(Load load) {
        SequencedMap<String, String> parts = new LinkedHashMap<>();
        if (load.engine().equals("command")) {
            parts.put("driver", "a load command");
            return parts;
        }
        parts.put(
                "connections", NumberText.plural(load.connections(), "connection", "connections"));
        parts.put("arrival", arrival(load));
        parts.put("keepalive", load.keepalive() ? "kept alive" : "one per request");
        if (load.protocol() != null) {
            parts.put("TLS", load.protocol());
        }
        if (!load.requests().isEmpty()) {
            parts.put("requests", requests(load.requests()));
        }
        if (load.held() != null) {
            parts.put("held", "held");
        }
        return parts;
    }

    private static String arrival(Load load) {
        return switch (load.arrival()) {
            case "closed" -> "closed loop";
            case "lockstep" -> "in lockstep";
            default -> load.asked() == null ? load.arrival() : load.asked();
        };
    }

    private static String requests(List<String> requests) {
        return requests.size() == 1
                ? requests.getFirst()
                : requests.size() + " requests, the first " + requests.getFirst();
    }
}
