package wallfinder.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Hold;

/// How held connections are told, on the terminal and in `run.json`.
final class HoldLines {
    private HoldLines() {}

    /// `19,000 connections held, 32 bytes each 1.0 s, 12.0 s`.
    static String load(LoadOutcome load, Hold hold) {
        return "%s held, %s, %s"
                .formatted(
                        Wording.plural(load.connections(), "connection", "connections"),
                        exchange(hold),
                        Wording.seconds(load.seconds()));
    }

    private static String exchange(Hold hold) {
        if (hold.messageBytes() == 0) {
            return hold.exchange().equals("push") ? "reading what comes" : "idle";
        }
        String often =
                hold.intervalSeconds() == 0
                        ? "after each answer"
                        : "each " + Wording.format("%.3g s", hold.intervalSeconds());
        return Wording.bytes(hold.messageBytes()) + " " + often;
    }

    static void rates(LoadOutcome load, Hold hold, Lines lines) {
        lines.add("  held       ", fates(hold));
        if (!hold.sockets().isEmpty()) {
            lines.add("  kernel     ", sockets(hold));
        }
        lines.add("  connects   ", connects(load, hold));
        lines.add("  messages   ", messages(load, hold));
        lines.add("  errors     ", Wording.errors(load));
        hold.faults().forEach(fault -> lines.add("    ", fault));
        if (load.generator() != null) {
            lines.add("  generator  ", Wording.generator(load.generator(), load.seconds()));
        }
        lines.add(
                "  memory     ",
                Wording.format(
                        "%s of this process; %d bytes of them for each connection",
                        Wording.bytes(hold.rssBytes()), hold.stateBytes()));
    }

    /// `18,998 alive, 2 closed`, which are all connections.
    static String fates(Hold hold) {
        List<String> told = new ArrayList<>();
        told.add(Wording.count(hold.fate(Hold.ALIVE)) + " alive");
        hold.fates()
                .forEach((fate, count) -> {
                    if (!fate.equals(Hold.ALIVE)) {
                        told.add(Wording.count(count) + " " + fate);
                    }
                });
        return String.join(", ", told);
    }

    /// `sockets established: 19,000 on the client, 18,990 on the server; NOT as many as are alive`.
    static String sockets(Hold hold) {
        String counts =
                hold.sockets().stream()
                        .map(sockets ->
                                "%s on the %s"
                                        .formatted(
                                                Wording.count(sockets.established()),
                                                sockets.end().word()))
                        .collect(Collectors.joining(", "));
        boolean equal = hold.sockets().stream().allMatch(sockets -> equal(hold, sockets));
        return "sockets established: %s; %s"
                .formatted(counts, equal ? "as many as are alive" : "NOT as many as are alive");
    }

    private static boolean equal(Hold hold, LoadOutcome.Sockets sockets) {
        return sockets.established() == hold.fate(Hold.ALIVE);
    }

    private static Map<String, @Nullable Object> json(Hold hold, LoadOutcome.Sockets sockets) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("end", sockets.end().word());
        json.put("established", sockets.established());
        json.put("asAlive", equal(hold, sockets));
        return json;
    }

    private static String connects(LoadOutcome load, Hold hold) {
        String opened = Wording.count(load.connectionsOpened());
        if (hold.reopened() > 0) {
            return opened + "; " + Wording.count(hold.reopened()) + " begun again";
        }
        return Double.isNaN(hold.openingSeconds())
                ? opened
                : Wording.format(
                        "%s in %s: %,.1f/s",
                        opened,
                        Wording.seconds(hold.openingSeconds()),
                        load.connectionsOpened() / hold.openingSeconds());
    }

    private static String messages(LoadOutcome load, Hold hold) {
        String held =
                hold.heldSeconds() == 0
                        ? ""
                        : Wording.format(
                                "; while held %s: %,.1f/s",
                                Wording.seconds(hold.heldSeconds()),
                                hold.heldMessages() / hold.heldSeconds());
        String waited =
                load.openLoop() == null || load.openLoop().waited() == 0
                        ? ""
                        : "; "
                                + Wording.count(load.openLoop().waited())
                                + " waited for the answer before";
        return Wording.format(
                "%s answered%s; %,d under way at the end%s",
                Wording.count(load.answered()), held, load.inFlight(), waited);
    }

    static Map<String, @Nullable Object> json(Hold hold) {
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
        json.put("sockets", hold.sockets().stream().map(s -> json(hold, s)).toList());
        return json;
    }
}
