package wallfinder.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/// Reads the `matrix` of an experiment. It makes a tree for each combination with the values in
/// place, so that each is read and checked like any other experiment.
final class MatrixReader {
    static final String KEY = "matrix";

    private static final String LOAD = "load";

    private final YamlEntry root;
    private final Function<String, Optional<Path>> jvmHome;
    private final List<MatrixFactor> factors;

    /// The path of each reference that is a setting.
    private final Map<String, List<String>> paths = new LinkedHashMap<>();

    private final Set<String> known = new LinkedHashSet<>();

    /// @param factors at least one
    /// @param jvmHome the folder of a JVM, by its version or path
    MatrixReader(
            YamlEntry root, List<MatrixFactor> factors, Function<String, Optional<Path>> jvmHome) {
        this.root = root;
        this.jvmHome = jvmHome;
        this.factors = factors;
        MatrixSettings settings = new MatrixSettings(root.node());
        Set<String> placed = new HashSet<>();
        new MatrixTree(Map.of(), placed::add, asked -> asked).filled(root);
        known.addAll(Placeholders.RESERVED);
        known.addAll(Template.VARIABLES);
        YamlTrees.children(YamlTrees.child(root.node(), "services"))
                .values()
                .forEach(this::addKnobs);
        addKnobs(YamlTrees.child(root.node(), LOAD));
        for (MatrixFactor factor : factors) {
            known.addAll(factor.levels().getFirst().values().keySet());
            place(factor, settings, placed);
        }
    }

    private void addKnobs(@Nullable Node program) {
        known.addAll(YamlTrees.children(YamlTrees.child(program, "knobs")).keySet());
    }

    private void place(MatrixFactor factor, MatrixSettings settings, Set<String> placed) {
        boolean[] used = {placed.contains(factor.name())};
        factor.settings()
                .forEach((reference, name) -> {
                    boolean stands = placed.contains(reference);
                    Optional<List<String>> path =
                            factor.place().checked(() -> settings.path(name, stands));
                    path.ifPresent(keys -> {
                        checkEffect(factor, keys);
                        paths.put(reference, keys);
                    });
                    used[0] |= stands || path.isPresent();
                    if (!stands && path.isEmpty() && !reference.equals(factor.name())) {
                        throw unused(factor, reference, name, settings.names());
                    }
                });
        if (!used[0]) {
            throw unused(factor, factor.name(), factor.name(), settings.names());
        }
    }

    private void checkEffect(MatrixFactor factor, List<String> path) {
        if (!MatrixSettings.takesEffect(root.node(), path)) {
            throw factor.place()
                    .error(
                            "the service '" + path.get(1) + "' is not started with {jvm}",
                            "Begin its command with {jvm}/bin/java");
        }
    }

    private static UsageException unused(
            MatrixFactor factor, String reference, String name, Collection<String> settings) {
        return factor.place()
                .error(
                        "'%s' is not used: nothing contains {%s}, and there is no such setting"
                                .formatted(name, reference),
                        "Write {%s} where it belongs, or name a setting. %s"
                                .formatted(reference, Nearest.advice(name, settings)));
    }

    List<Matrix.Factor> factors() {
        return factors.stream()
                .map(factor ->
                        new Matrix.Factor(
                                factor.name(),
                                factor.levels().stream().map(MatrixFactor.Level::shown).toList()))
                .toList();
    }

    /// @param reader reads the tree of one cell
    List<Matrix.Cell> cells(int repeat, Function<YamlEntry, Experiment> reader) {
        long count = 1;
        for (MatrixFactor factor : factors) {
            count *= factor.levels().size();
            if (count * repeat > Matrix.TRIALS_MAX) {
                throw factor.place()
                        .error(tooMany(repeat), "Leave some values out, or lower `repeat`");
            }
        }
        List<Matrix.Cell> cells = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            cells.add(cell(levels(number), reader));
        }
        return List.copyOf(cells);
    }

    private String tooMany(int repeat) {
        String product =
                factors.stream()
                        .map(factor -> String.valueOf(factor.levels().size()))
                        .collect(Collectors.joining(" x "));
        return "%s cells, each measured %d times, are more than %d trials"
                .formatted(product, repeat, Matrix.TRIALS_MAX);
    }

    /// The last factor changes fastest.
    private List<MatrixFactor.Level> levels(int number) {
        List<MatrixFactor.Level> levels = new ArrayList<>();
        int left = number;
        for (MatrixFactor factor : factors.reversed()) {
            int size = factor.levels().size();
            levels.addFirst(factor.levels().get(left % size));
            left /= size;
        }
        return levels;
    }

    private Matrix.Cell cell(
            List<MatrixFactor.Level> levels, Function<YamlEntry, Experiment> reader) {
        Map<String, String> shown = new LinkedHashMap<>();
        Map<String, Node> values = new LinkedHashMap<>();
        for (int i = 0; i < levels.size(); i++) {
            shown.put(factors.get(i).name(), levels.get(i).shown());
            values.putAll(levels.get(i).values());
        }
        Set<String> jvms = new LinkedHashSet<>();
        Node filled = filled(new MatrixTree(values, this::checkKnown, asked -> home(asked, jvms)));
        try {
            Experiment experiment = reader.apply(new YamlEntry(root.file(), root.path(), filled));
            jvms.addAll(jvms(filled));
            return new Matrix.Cell(
                    Collections.unmodifiableMap(shown),
                    experiment,
                    load(values),
                    Collections.unmodifiableSet(jvms));
        } catch (UsageException e) {
            throw new UsageException(
                    e.what() + ", with " + Matrix.describe(shown), e.why(), e.todo());
        }
    }

    /// A cell without its JVM never runs, so any text will do for the folder.
    private String home(String asked, Set<String> jvms) {
        jvms.add(asked);
        return jvmHome.apply(asked).map(Path::toString).orElse(asked);
    }

    /// The load without the settings of the load command itself.
    private String load(Map<String, Node> values) {
        Map<String, Node> asked = new LinkedHashMap<>(values);
        paths.forEach((reference, path) -> {
            if (path.getFirst().equals(LOAD) && !MatrixSettings.asks(path)) {
                asked.remove(reference);
            }
        });
        return load(filled(new MatrixTree(asked, name -> {}, jvm -> jvm)));
    }

    private Node filled(MatrixTree tree) {
        Node filled = tree.filled(root);
        for (Map.Entry<String, List<String>> setting : paths.entrySet()) {
            Node value = tree.values().get(setting.getKey());
            filled = value == null ? filled : YamlTrees.with(filled, setting.getValue(), value);
        }
        return filled;
    }

    static String load(Node tree) {
        Map<String, Node> keys = YamlTrees.children(YamlTrees.child(tree, LOAD));
        return keys.entrySet().stream()
                .filter(key -> MatrixSettings.asks(List.of(LOAD, key.getKey())))
                .map(key -> key.getKey() + " " + MatrixFactor.shown(key.getValue()))
                .sorted()
                .collect(Collectors.joining("; "));
    }

    /// The JVMs of the services and the load.
    static Set<String> jvms(Node tree) {
        Set<String> jvms = new LinkedHashSet<>();
        for (Node service : YamlTrees.children(YamlTrees.child(tree, "services")).values()) {
            addJvm(service, jvms);
        }
        addJvm(YamlTrees.child(tree, LOAD), jvms);
        return jvms;
    }

    private static void addJvm(@Nullable Node program, Set<String> jvms) {
        if (YamlTrees.child(program, "jvm") instanceof ScalarNode jvm) {
            jvms.add(jvm.getValue());
        }
    }

    private void checkKnown(String name) {
        if (!known.contains(name)) {
            throw new UsageException(
                    "{" + name + "} has no value",
                    "there is no {" + name + "}",
                    Nearest.advice(name, known));
        }
    }
}
