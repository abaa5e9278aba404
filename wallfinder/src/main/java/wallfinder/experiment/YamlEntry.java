package wallfinder.experiment;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A value in an experiment file, with its place for error messages.
///
/// @param path its keys, joined by dots; empty at the top level
/// @param place its key, or the value itself if it has none
record YamlEntry(String file, String path, Node place, Node node) {
    static final int MATCHED_MAX = 200;

    /// A value without a key: the whole file, or an element of a list.
    YamlEntry(String file, String path, Node node) {
        this(file, path, node, node);
    }

    /// An error that names the place of this value.
    UsageException error(String why, String todo) {
        return new UsageException(whereabouts(), why, todo);
    }

    /// The value as text, as it is written in the file.
    String text(String example) {
        if (node instanceof ScalarNode scalar && !isNull() && !scalar.getValue().isBlank()) {
            return scalar.getValue();
        }
        String hint =
                node instanceof MappingNode
                        ? ". If it begins with { in the file, put it in quotes"
                        : "";
        throw error("expected a single value, not " + kind(), "Write it as " + example + hint);
    }

    /// The value, parsed by a function.
    <T> T as(String example, Function<String, T> reader) {
        String text = text(example);
        return checked(() -> reader.apply(text));
    }

    /// The result of a function. Its error gets the place of this value.
    <T> T checked(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (UsageException e) {
            throw e.within(whereabouts());
        }
    }

    long count(String example, long min, long max) {
        long count = as(example, Quantity::count);
        if (count < min || count > max) {
            throw error(count + " is not between " + min + " and " + max, "Write it as " + example);
        }
        return count;
    }

    boolean flag() {
        String text = text("true or false");
        if (!text.equals("true") && !text.equals("false")) {
            throw error("expected true or false, not '" + text + "'", "Write true or false");
        }
        return text.equals("true");
    }

    /// The value as text that matches a regular expression.
    String matching(String form, String expected, String example) {
        String text = text(example);
        // Each repetition of a group needs stack, so the length is bounded.
        if (text.length() > MATCHED_MAX || !text.matches(form)) {
            String shown = text.substring(0, Math.min(text.length(), MATCHED_MAX));
            throw error("'" + shown + "' is not " + expected, "Write it as " + example);
        }
        return text;
    }

    List<YamlEntry> elements(String example) {
        if (!(node instanceof SequenceNode sequence)) {
            throw error("expected a list, not " + kind(), "Write it as " + example);
        }
        return sequence.getValue().stream().map(child -> new YamlEntry(file, path, child)).toList();
    }

    /// The keys and values of a section with known keys.
    Map<String, YamlEntry> section(Collection<String> known) {
        Map<String, YamlEntry> children = section("`key: value` lines, with the keys " + known);
        for (Map.Entry<String, YamlEntry> child : children.entrySet()) {
            if (!known.contains(child.getKey())) {
                throw child.getValue()
                        .error(
                                "there is no key '" + child.getKey() + "' here",
                                Nearest.advice(child.getKey(), known));
            }
        }
        return children;
    }

    /// The keys and values of a section with free keys, in the order of the file.
    Map<String, YamlEntry> section(String example) {
        if (!(node instanceof MappingNode mapping)) {
            throw error("expected a section, not " + kind(), "Write it as " + example);
        }
        Map<String, YamlEntry> children = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String key = new YamlEntry(file, path, tuple.getKeyNode()).text("a plain word");
            String below = path.isEmpty() ? key : path + "." + key;
            YamlEntry child = new YamlEntry(file, below, tuple.getKeyNode(), tuple.getValueNode());
            if (children.put(key, child) != null) {
                throw child.error("this key appears twice", "Keep one of the two");
            }
        }
        return children;
    }

    boolean isEmptyText() {
        return node instanceof ScalarNode scalar && !isNull() && scalar.getValue().isEmpty();
    }

    boolean isNull() {
        return node.getTag().equals(Tag.NULL);
    }

    /// The result of a function for an optional value, or null.
    static <T> @Nullable T optional(
            @Nullable YamlEntry entry, Function<? super YamlEntry, ? extends T> reader) {
        return entry == null ? null : reader.apply(entry);
    }

    /// The value of an optional key with `true` or `false`.
    static boolean flag(@Nullable YamlEntry entry, boolean fallback) {
        return entry == null ? fallback : entry.flag();
    }

    /// The value of a required key.
    static YamlEntry required(
            Map<String, YamlEntry> section, YamlEntry owner, String key, String example) {
        YamlEntry entry = section.get(key);
        if (entry == null) {
            throw owner.error("'" + key + "' is missing", "Add `" + key + ": " + example + "`");
        }
        return entry;
    }

    /// The texts of an optional section with free keys.
    static Map<String, String> texts(@Nullable YamlEntry section, String example) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (section != null) {
            section.section(example)
                    .forEach((key, entry) -> texts.put(key, entry.possiblyEmpty(example)));
        }
        return Collections.unmodifiableMap(texts);
    }

    private String possiblyEmpty(String example) {
        return node instanceof ScalarNode scalar && !isNull() ? scalar.getValue() : text(example);
    }

    private String whereabouts() {
        String line = place.getStartMark().map(mark -> ", line " + (mark.getLine() + 1)).orElse("");
        return file + line + (path.isEmpty() ? "" : ", " + path);
    }

    private String kind() {
        return switch (node) {
            case MappingNode _ -> "a section";
            case SequenceNode _ -> "a list";
            default -> isNull() ? "nothing" : "a single value";
        };
    }
}
