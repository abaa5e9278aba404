package wallfinder.mcp;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/// The part of a command's JSON that a language model can use. All of it would fill the model's
/// memory: a search has dozens of trials. The files of the run have the rest.
final class Excerpt {
    static final int CHARS_MAX = 24_000;

    /// The most items of a list: the next number is tried if the excerpt is too long.
    private static final List<Integer> ITEMS_MAX = List.of(20, 8, 3, 1);

    private static final int TEXT_CHARS_MAX = 600;
    private static final String LEFT_OUT = "leftOut";

    /// What only the report needs.
    private static final Set<String> DROPPED =
            Set.of(
                    "schema",
                    "host",
                    "sandbox",
                    "flamegraph",
                    "drift",
                    "openLoop",
                    "badResponseMicros",
                    "connectMicros",
                    "generator",
                    "targets",
                    "scalability");

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Excerpt() {}

    /// @param json the command's file
    static ObjectNode of(String json) {
        ObjectNode all = (ObjectNode) MAPPER.readTree(json);
        chooseTrials(all);
        for (int items : ITEMS_MAX) {
            ObjectNode excerpt = all.deepCopy();
            shorten(excerpt, items);
            if (excerpt.toString().length() <= CHARS_MAX) {
                return excerpt;
            }
        }
        ObjectNode none = MAPPER.createObjectNode();
        return none.put(
                LEFT_OUT, "everything: it is too long; run.json in the run's folder has it");
    }

    /// Keeps the trials of the ladder and the last one, each with its number.
    private static void chooseTrials(ObjectNode all) {
        if (!(all.get("trials") instanceof ArrayNode trials)) {
            return;
        }
        Set<Integer> chosen = new TreeSet<>();
        all.path("ladder").forEach(rung -> chosen.add(rung.path("trial").asInt(-1)));
        chosen.add(trials.size() - 1);
        ArrayNode kept = MAPPER.createArrayNode();
        for (int number : chosen) {
            if (trials.get(number) instanceof ObjectNode trial) {
                trial.put("number", number);
                shortenVerdict(trial.get("diagnosis"));
                kept.add(trial);
            }
        }
        all.set("trials", kept);
        if (kept.size() < trials.size()) {
            all.put(LEFT_OUT, trials.size() - kept.size() + " trials; run.json has them");
        }
    }

    /// Thirty walls are not named in each trial: their names are enough, apart for those that are
    /// ruled out, near and unknown.
    private static void shortenVerdict(JsonNode diagnosis) {
        if (diagnosis instanceof ObjectNode verdict && verdict.has("ruledOut")) {
            JsonNode all = verdict.get("ruledOut");
            verdict.put("ruledOut", walls(all, "clear"));
            verdict.put("near", walls(all, "near"));
            verdict.put("unknown", walls(all, "unknown"));
        }
    }

    private static String walls(JsonNode all, String state) {
        return all.valueStream()
                .filter(wall -> wall.path("state").asString("").equals(state))
                .map(wall -> wall.path("wall").asString(""))
                .collect(Collectors.joining(" "));
    }

    private static void shorten(JsonNode node, int items) {
        if (node instanceof ObjectNode object) {
            object.remove(DROPPED);
            object.properties()
                    .forEach(entry -> {
                        if (entry.getValue() instanceof StringNode text) {
                            entry.setValue(StringNode.valueOf(cut(text.stringValue())));
                        } else {
                            shorten(entry.getValue(), items);
                        }
                    });
        } else if (node instanceof ArrayNode array) {
            while (array.size() > items) {
                array.remove(array.size() - 1);
            }
            array.forEach(item -> shorten(item, items));
        }
    }

    private static String cut(String text) {
        return text.length() <= TEXT_CHARS_MAX ? text : text.substring(0, TEXT_CHARS_MAX) + "...";
    }
}
