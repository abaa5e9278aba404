package wallfinder.experiment;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// Reads the answers that a load expects: a status, a list of them, or statuses and a body.
final class ExpectReader {
    private static final String EXAMPLE = "200, [200, 404] or { status: 200, body: \"a text\" }";
    private static final List<String> KEYS = List.of("status", "body");

    private ExpectReader() {}

    static Expectation read(@Nullable YamlEntry entry) {
        if (entry == null) {
            return Expectation.DEFAULT;
        }
        if (!(entry.node() instanceof MappingNode)) {
            return of(entry, entry, null);
        }
        Map<String, YamlEntry> keys = entry.section(KEYS);
        return of(entry, keys.get("status"), keys.get("body"));
    }

    private static Expectation of(
            YamlEntry place, @Nullable YamlEntry status, @Nullable YamlEntry body) {
        List<String> statuses = status == null ? Expectation.DEFAULT.statuses() : statuses(status);
        String text = body == null ? null : body.text("\"a text\"");
        return place.checked(() -> new Expectation(statuses, text));
    }

    private static List<String> statuses(YamlEntry entry) {
        return entry.node() instanceof SequenceNode
                ? entry.elements(EXAMPLE).stream().map(one -> one.text("200")).toList()
                : List.of(entry.text(EXAMPLE));
    }
}
