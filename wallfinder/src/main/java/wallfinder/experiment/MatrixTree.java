package wallfinder.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// Replaces each `{name}` in an experiment's tree by the value of a factor.
///
/// @param values by name
/// @param others receives all other names in braces
/// @param home the folder of a JVM, by its version or path
record MatrixTree(Map<String, Node> values, Consumer<String> others, UnaryOperator<String> home) {
    /// A backslash before the braces escapes the name.
    private static final Pattern NAME =
            Pattern.compile("(?<!\\\\)\\{([A-Za-z][A-Za-z0-9_.-]{0,79})}");

    private static final String JVM = "jvm";

    /// Regular expressions contain braces too.
    private static final String MEASURE = "load.measure";

    /// The tree without `matrix` and `fit`.
    Node filled(YamlEntry root) {
        List<NodeTuple> children = new ArrayList<>();
        root.section("keys")
                .forEach((key, child) -> {
                    if (!key.equals(MatrixReader.KEY) && !key.equals(FitReader.KEY)) {
                        children.add(new NodeTuple(child.place(), filled(child, 1)));
                    }
                });
        return YamlTrees.section(root.node(), children);
    }

    private Node filled(YamlEntry entry, int depth) {
        if (depth > ExperimentFile.DEPTH_MAX) {
            throw entry.error("it is nested too deeply", "Check its anchors and aliases");
        }
        Node node = entry.node();
        Optional<String> alone = YamlTrees.reference(node);
        if (alone.isPresent() && values.containsKey(alone.get())) {
            return whole(entry, alone.get());
        }
        alone.ifPresent(name -> {
            if (values.isEmpty()) {
                others.accept(name);
            }
        });
        return switch (node) {
            case ScalarNode scalar -> filled(entry, scalar);
            case SequenceNode sequence ->
                    YamlTrees.list(
                            node,
                            sequence.getValue().stream()
                                    .map(child -> below(entry, child, depth))
                                    .toList());
            case MappingNode mapping -> {
                List<NodeTuple> children = new ArrayList<>();
                for (NodeTuple tuple : mapping.getValue()) {
                    Node key = tuple.getKeyNode();
                    String path =
                            key instanceof ScalarNode scalar
                                    ? entry.path() + "." + scalar.getValue()
                                    : entry.path();
                    YamlEntry child = new YamlEntry(entry.file(), path, key, tuple.getValueNode());
                    children.add(new NodeTuple(key, filled(child, depth + 1)));
                }
                yield YamlTrees.section(node, children);
            }
            default -> node;
        };
    }

    private Node below(YamlEntry list, Node child, int depth) {
        return filled(new YamlEntry(list.file(), list.path(), child), depth + 1);
    }

    private Node filled(YamlEntry entry, ScalarNode scalar) {
        Matcher name = NAME.matcher(scalar.getValue());
        if (name.matches() && values.containsKey(name.group(1))) {
            return whole(entry, name.group(1));
        }
        String text = name.replaceAll(found -> Matcher.quoteReplacement(replaced(entry, found)));
        return text.equals(scalar.getValue()) ? scalar : YamlTrees.text(scalar, text);
    }

    /// The value may be a section if the text consists of the name only.
    private Node whole(YamlEntry entry, String name) {
        Node value = values.get(name);
        if (value == null || value instanceof ScalarNode) {
            return YamlTrees.text(entry.node(), text(entry, name));
        }
        return value;
    }

    private String replaced(YamlEntry entry, MatchResult found) {
        String name = found.group(1);
        if (values.containsKey(name)) {
            return text(entry, name);
        }
        if (!entry.path().startsWith(MEASURE)) {
            entry.checked(() -> {
                others.accept(name);
                return name;
            });
        }
        return found.group();
    }

    private String text(YamlEntry entry, String name) {
        String value = MatrixFactor.shown(values.get(name));
        if (!Matrix.Factor.isJvm(name) || entry.path().endsWith("." + JVM)) {
            return value;
        }
        // These two are filled in when the program starts.
        return name.equals(JVM) || name.equals("clientJvm") ? "{" + name + "}" : home.apply(value);
    }
}
