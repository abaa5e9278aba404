package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Hold;

/// Writes held connections into `run.json`.
public final class HoldJson {
    private HoldJson() {}

    static Map<String, @Nullable Object> of(Hold hold) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("exchange", hold.exchange());
        json.put("messageBytes", hold.messageBytes());
        json.put("intervalSeconds", Rounded.to(6, hold.intervalSeconds()));
        json.put("fates", hold.fates());
        json.put("reopened", hold.reopened());
        json.put("openingSeconds", Rounded.to(3, hold.openingSeconds()));
        json.put("heldMessages", hold.heldMessages());
        json.put("heldSeconds", Rounded.to(3, hold.heldSeconds()));
        json.put("heldCpuSeconds", Rounded.to(3, hold.heldCpuSeconds()));
        json.put("firstAnswerMicros", LoadJson.micros(hold.firstAnswerNanos()));
        json.put("stateBytes", hold.stateBytes());
        json.put("rssBytes", hold.rssBytes());
        json.put("faults", hold.faults());
        json.put("sockets", hold.sockets().stream().map(s -> of(hold, s)).toList());
        return json;
    }

    private static Map<String, @Nullable Object> of(Hold hold, LoadOutcome.Sockets sockets) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("end", sockets.end().word());
        json.put("established", sockets.established());
        json.put("asAlive", asAlive(hold, sockets));
        return json;
    }

    /// Whether the kernel counts as many connections as are alive.
    public static boolean asAlive(Hold hold, LoadOutcome.Sockets sockets) {
        return sockets.established() == hold.fate(Hold.ALIVE);
    }
}
