package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.HoldSpec;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;

/// What a generator counted of held connections, as fields of a message.
final class HeldOutcomes {
    private static final int FAULTS_MAX = 100;
    private static final int STATE_BYTES_MAX = 1 << 20;
    private static final Set<String> EXCHANGES =
            Stream.of(HoldSpec.Kind.values()).map(HoldSpec.Kind::word).collect(Collectors.toSet());
    private static final Set<String> FATES =
            Stream.concat(
                            Outcomes.KINDS.stream(),
                            Stream.of(
                                    LoadOutcome.Hold.ALIVE,
                                    LoadOutcome.Hold.CONNECTING,
                                    LoadOutcome.Hold.UNOPENED))
                    .collect(Collectors.toSet());

    private HeldOutcomes() {}

    static Map<String, @Nullable Object> tree(LoadOutcome.Held load) {
        Map<String, @Nullable Object> tree = Outcomes.driven(load);
        tree.put("hold", tree(load.hold()));
        return tree;
    }

    static boolean isHeld(JsonNode tree) {
        return tree.has("hold");
    }

    private static Map<String, @Nullable Object> tree(LoadOutcome.Hold hold) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("exchange", hold.exchange());
        tree.put("messageBytes", hold.messageBytes());
        tree.put("intervalSeconds", hold.intervalSeconds());
        tree.put("fates", hold.fates());
        tree.put("reopened", hold.reopened());
        tree.put(
                "openingSeconds",
                Double.isNaN(hold.openingSeconds()) ? null : hold.openingSeconds());
        tree.put("heldMessages", hold.heldMessages());
        tree.put("heldSeconds", hold.heldSeconds());
        tree.put("heldCpuSeconds", hold.heldCpuSeconds());
        tree.put("firstAnswer", Histograms.bytes(hold.firstAnswerNanos()));
        tree.put("stateBytes", hold.stateBytes());
        tree.put("rssBytes", hold.rssBytes());
        tree.put("faults", hold.faults());
        hold.sockets().stream()
                .filter(sockets -> sockets.end() == End.CLIENT)
                .forEach(sockets -> tree.put("sockets", sockets.established()));
        return tree;
    }

    /// @param arrival what the load asked for
    /// @throws IllegalArgumentException if a figure is impossible
    /// @throws tools.jackson.core.JacksonException if one is missing or of another type
    static LoadOutcome.Held read(JsonNode tree, Arrival arrival) {
        return new LoadOutcome.Held(
                Outcomes.readEngine(tree),
                Outcomes.readConnections(tree),
                Outcomes.readLoop(tree, arrival),
                Outcomes.amount(tree, "seconds"),
                Outcomes.readExchanges(tree),
                Outcomes.readFailures(tree),
                Outcomes.readTimes(tree),
                readHold(tree.required("hold")));
    }

    private static LoadOutcome.Hold readHold(JsonNode tree) {
        String exchange = tree.required("exchange").asString();
        if (!EXCHANGES.contains(exchange)) {
            throw new IllegalArgumentException("an unknown exchange of messages");
        }
        return new LoadOutcome.Hold(
                exchange,
                (int) Outcomes.count(tree.required("messageBytes"), HoldSpec.Messages.BYTES_MAX),
                Outcomes.amount(tree, "intervalSeconds"),
                Outcomes.counts(tree.required("fates"), FATES::contains),
                Outcomes.count(tree.required("reopened")),
                tree.required("openingSeconds").isNull()
                        ? Double.NaN
                        : Outcomes.amount(tree, "openingSeconds"),
                Outcomes.count(tree.required("heldMessages")),
                Outcomes.amount(tree, "heldSeconds"),
                Outcomes.amount(tree, "heldCpuSeconds"),
                Outcomes.histogram(tree, "firstAnswer"),
                (int) Outcomes.count(tree.required("stateBytes"), STATE_BYTES_MAX),
                Outcomes.count(tree.required("rssBytes")),
                readFaults(tree.required("faults")),
                tree.has("sockets")
                        ? List.of(
                                new LoadOutcome.Sockets(
                                        End.CLIENT, Outcomes.count(tree.required("sockets"))))
                        : List.of());
    }

    private static List<String> readFaults(JsonNode texts) {
        if (texts.size() > FAULTS_MAX) {
            throw new IllegalArgumentException("too many faults");
        }
        List<String> faults = new ArrayList<>();
        texts.forEach(text -> faults.add(text.asString()));
        return faults;
    }
}
