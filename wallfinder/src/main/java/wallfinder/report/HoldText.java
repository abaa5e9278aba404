package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Hold;
import wallfinder.record.HoldJson;
import wallfinder.record.NumberText;

/// Held connections in words, for the terminal and the page.
final class HoldText {
    private HoldText() {}

    /// `19,000 connections held, 32 B every 1 s, 12.0 s`.
    static String describe(LoadOutcome.Held load) {
        return "%s held, %s, %s"
                .formatted(
                        NumberText.plural(load.connections(), "connection", "connections"),
                        exchange(load.hold()),
                        NumberText.seconds(load.seconds()));
    }

    private static String exchange(Hold hold) {
        if (hold.messageBytes() == 0) {
            return hold.exchange().equals("push") ? "reading only" : "idle";
        }
        String often =
                hold.intervalSeconds() == 0
                        ? "after each answer"
                        : "every " + NumberText.format("%.3g s", hold.intervalSeconds());
        return NumberText.bytes(hold.messageBytes()) + " " + often;
    }

    static void rates(LoadOutcome.Held load, PlainText lines) {
        Hold hold = load.hold();
        lines.add("  held       ", fates(hold));
        if (!hold.sockets().isEmpty()) {
            lines.add("  kernel     ", sockets(hold));
        }
        lines.add("  connects   ", connects(load));
        lines.add("  messages   ", messages(load));
        lines.add("  errors     ", LoadText.errors(load));
        hold.faults().forEach(fault -> lines.add("    ", fault));
        lines.add("  generator  ", LoadText.generator(load.generator(), load.seconds()));
        lines.add(
                "  memory     ",
                NumberText.format(
                        "%s resident in this process, of which %d bytes for each connection",
                        NumberText.bytes(hold.rssBytes()), hold.stateBytes()));
    }

    /// `18,998 alive, 2 closed`: the fates of all connections.
    static String fates(Hold hold) {
        List<String> fates = new ArrayList<>();
        fates.add(NumberText.count(hold.fate(Hold.ALIVE)) + " alive");
        hold.fates()
                .forEach((fate, count) -> {
                    if (!fate.equals(Hold.ALIVE)) {
                        fates.add(NumberText.count(count) + " " + fate);
                    }
                });
        return String.join(", ", fates);
    }

    /// `sockets established: 19,000 on the client, 18,990 on the server; NOT as many as are alive`.
    private static String sockets(Hold hold) {
        String counts =
                hold.sockets().stream()
                        .map(sockets ->
                                "%s on the %s"
                                        .formatted(
                                                NumberText.count(sockets.established()),
                                                sockets.end().word()))
                        .collect(Collectors.joining(", "));
        boolean equal =
                hold.sockets().stream().allMatch(sockets -> HoldJson.asAlive(hold, sockets));
        return "sockets established: %s; %s"
                .formatted(counts, equal ? "as many as are alive" : "NOT as many as are alive");
    }

    private static String connects(LoadOutcome.Held load) {
        Hold hold = load.hold();
        String opened = NumberText.count(load.connectionsOpened());
        if (hold.reopened() > 0) {
            return opened + "; " + NumberText.count(hold.reopened()) + " repeated";
        }
        return Double.isNaN(hold.openingSeconds())
                ? opened
                : NumberText.format(
                        "%s in %s: %,.1f/s",
                        opened,
                        NumberText.seconds(hold.openingSeconds()),
                        load.connectionsOpened() / hold.openingSeconds());
    }

    private static String messages(LoadOutcome.Held load) {
        Hold hold = load.hold();
        String held =
                hold.heldSeconds() == 0
                        ? ""
                        : NumberText.format(
                                "; while held %s: %,.1f/s",
                                NumberText.seconds(hold.heldSeconds()),
                                hold.heldMessages() / hold.heldSeconds());
        String waited =
                load.loop() instanceof LoadOutcome.Loop.Open open && open.waited() > 0
                        ? "; "
                                + NumberText.count(open.waited())
                                + " waited for the answer to the previous message"
                        : "";
        return NumberText.format(
                "%s answered%s; %,d under way at the end%s",
                NumberText.count(load.answered()), held, load.inFlight(), waited);
    }
}
