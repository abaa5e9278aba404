package wallfinder.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// A factor under `matrix`: a list of values, or of named groups of settings.
///
/// @param place for error messages
/// @param settings the name of a setting for each reference
record MatrixFactor(
        String name, YamlEntry place, Map<String, String> settings, List<Level> levels) {
    private static final String EXAMPLE = "[8, 64]";
    private static final String NAME = "name";
    private static final List<String> TAKEN =
            List.of("server", "client", "home", "counter", "random");

    /// One value of a factor.
    ///
    /// @param values the value of each reference: the factor's name, and `name.key` for a group
    record Level(String shown, Map<String, Node> values) {}

    static List<MatrixFactor> readAll(YamlEntry matrix) {
        List<MatrixFactor> factors = new ArrayList<>();
        matrix.section("poolSize: " + EXAMPLE)
                .forEach((name, entry) -> factors.add(read(name, entry)));
        if (factors.isEmpty()) {
            throw matrix.error("there is no factor", "Add one, as in `poolSize: " + EXAMPLE + "`");
        }
        return List.copyOf(factors);
    }

    static MatrixFactor read(String name, YamlEntry entry) {
        if (!name.matches("[A-Za-z][A-Za-z0-9_.-]{0,79}") || TAKEN.contains(name)) {
            throw entry.error("'" + name + "' cannot be the name of a factor", "Rename it");
        }
        List<Level> levels = new ArrayList<>();
        Map<String, String> settings = new LinkedHashMap<>();
        for (YamlEntry element : entry.elements(EXAMPLE)) {
            Level level = level(name, element, settings);
            if (levels.stream().anyMatch(other -> other.shown().equals(level.shown()))) {
                throw element.error("'" + level.shown() + "' appears twice", "Keep one of the two");
            }
            if (!levels.isEmpty()
                    && !levels.getFirst().values().keySet().equals(level.values().keySet())) {
                throw element.error(
                        "its keys differ from those of the first one",
                        "Give all of them " + keys(levels.getFirst()));
            }
            levels.add(level);
        }
        if (levels.isEmpty()) {
            throw entry.error("it has no value", "Write it as " + EXAMPLE);
        }
        return new MatrixFactor(name, entry, settings, List.copyOf(levels));
    }

    private static String keys(Level level) {
        return level.values().keySet().stream()
                .map(key -> key.contains(".") ? key.substring(key.lastIndexOf('.') + 1) : NAME)
                .collect(Collectors.joining(", "));
    }

    private static Level level(String factor, YamlEntry element, Map<String, String> settings) {
        Map<String, Node> values = new LinkedHashMap<>();
        Map<String, YamlEntry> keys =
                element.node() instanceof MappingNode
                        ? element.section("{ name: small, poolSize: 8 }")
                        : Map.of();
        YamlEntry name = keys.get(NAME);
        if (name == null) {
            settings.put(factor, factor);
            values.put(factor, element.node());
            return new Level(shown(element), values);
        }
        values.put(factor, name.node());
        keys.forEach((key, entry) -> {
            if (!key.equals(NAME)) {
                shown(entry);
                settings.put(factor + "." + key, key);
                values.put(factor + "." + key, entry.node());
            }
        });
        return new Level(name.text("small"), values);
    }

    private static String shown(YamlEntry entry) {
        if (entry.isNull()) {
            throw entry.error("there is no value", "Write one, or \"\" for none");
        }
        return shown(entry.node());
    }

    static String shown(@Nullable Node node) {
        return switch (node) {
            case ScalarNode scalar -> scalar.getValue();
            case SequenceNode sequence ->
                    sequence.getValue().stream()
                            .map(MatrixFactor::shown)
                            .collect(Collectors.joining(", ", "[", "]"));
            case MappingNode mapping ->
                    mapping.getValue().stream()
                            .map(MatrixFactor::shown)
                            .collect(Collectors.joining(", "));
            case null, default -> "";
        };
    }

    private static String shown(NodeTuple tuple) {
        return shown(tuple.getKeyNode()) + " " + shown(tuple.getValueNode());
    }
}
