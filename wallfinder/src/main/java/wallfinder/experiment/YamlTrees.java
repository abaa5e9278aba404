package wallfinder.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// Searches and changes YAML trees. The readers report what is wrong with a tree.
final class YamlTrees {
    private YamlTrees() {}

    static @Nullable Node child(@Nullable Node node, String key) {
        return children(node).get(key);
    }

    /// The values of a section by key; empty if the node is not a section.
    static Map<String, Node> children(@Nullable Node node) {
        Map<String, Node> children = new LinkedHashMap<>();
        if (node instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                children.put(key(tuple), tuple.getValueNode());
            }
        }
        return children;
    }

    private static String key(NodeTuple tuple) {
        return tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
    }

    /// Whether a value below contains the text.
    static boolean contains(@Nullable Node node, String text) {
        return switch (node) {
            case ScalarNode scalar -> scalar.getValue().contains(text);
            case SequenceNode sequence ->
                    sequence.getValue().stream().anyMatch(child -> contains(child, text));
            case MappingNode mapping ->
                    mapping.getValue().stream()
                            .anyMatch(tuple -> contains(tuple.getValueNode(), text));
            case null, default -> false;
        };
    }

    /// The name in an unquoted `{name}`, which YAML reads as a section with one key and no value.
    static Optional<String> reference(Node node) {
        if (node instanceof MappingNode mapping
                && mapping.getFlowStyle() == FlowStyle.FLOW
                && mapping.getValue().size() == 1) {
            NodeTuple only = mapping.getValue().getFirst();
            boolean empty =
                    only.getValueNode() instanceof ScalarNode value && value.getValue().isEmpty();
            return empty ? Optional.of(key(only)) : Optional.empty();
        }
        return Optional.empty();
    }

    /// A text that replaces another node.
    static ScalarNode text(Node instead, String text) {
        return new ScalarNode(
                Tag.STR,
                true,
                text,
                ScalarStyle.DOUBLE_QUOTED,
                instead.getStartMark(),
                instead.getEndMark());
    }

    static MappingNode section(Node instead, List<NodeTuple> children) {
        return new MappingNode(
                Tag.MAP,
                true,
                children,
                FlowStyle.BLOCK,
                instead.getStartMark(),
                instead.getEndMark());
    }

    static SequenceNode list(Node instead, List<Node> children) {
        return new SequenceNode(
                Tag.SEQ,
                true,
                children,
                FlowStyle.BLOCK,
                instead.getStartMark(),
                instead.getEndMark());
    }

    /// The same tree with another value at the end of a path. The last key gets the place of the
    /// value, so that an error names the line where the value is written.
    static Node with(Node node, List<String> path, Node value) {
        if (path.isEmpty()) {
            return value;
        }
        if (!(node instanceof MappingNode mapping)) {
            return node;
        }
        String wanted = path.getFirst();
        List<String> rest = path.subList(1, path.size());
        Optional<Mark> mark = value.getStartMark();
        List<NodeTuple> children = new ArrayList<>();
        boolean found = false;
        for (NodeTuple tuple : mapping.getValue()) {
            boolean meant = key(tuple).equals(wanted);
            found |= meant;
            children.add(
                    meant
                            ? new NodeTuple(
                                    rest.isEmpty() ? key(wanted, mark) : tuple.getKeyNode(),
                                    with(tuple.getValueNode(), rest, value))
                            : tuple);
        }
        if (!found) {
            Node below = rest.isEmpty() ? value : with(section(value, List.of()), rest, value);
            children.add(new NodeTuple(key(wanted, mark), below));
        }
        return section(node, children);
    }

    private static Node key(String key, Optional<Mark> mark) {
        return new ScalarNode(Tag.STR, true, key, ScalarStyle.PLAIN, mark, mark);
    }
}
