package wallfinder.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/// Reads experiment files. Each error is a [UsageException] that names the place.
public final class ExperimentFile {
    private static final int BYTES_MAX = 1 << 20;

    /// The sections of an experiment are at most four levels deep.
    static final int DEPTH_MAX = 20;

    private static final int REPEAT_DEFAULT = 5;
    private static final int REPEAT_MAX = 1_000;

    /// A single pair has no variance and so no confidence interval.
    private static final int PAIRS_MIN = 2;

    private static final List<String> KEYS =
            List.of(
                    "name",
                    "services",
                    "sandbox",
                    "load",
                    "try",
                    "goal",
                    MatrixReader.KEY,
                    FitReader.KEY,
                    "repeat",
                    "objective");
    private static final List<String> SANDBOX_KEYS = List.of("server", "client", "ip");
    private static final String SYSCTLS = "{ net.core.somaxconn: 128 }";
    private static final String RESOLVER = "resolver";
    private static final String TRY = "[poolSize]";
    private static final Pattern SYSCTL = Pattern.compile("net(\\.[A-Za-z0-9_-]+)+");

    private ExperimentFile() {}

    public static Experiment read(Path path) {
        return parse(text(path), path.toString(), defaultName(path));
    }

    /// Reads an experiment with an optional matrix.
    ///
    /// @param jvmHome the folder of a JVM, by its version or path
    public static Matrix readMatrix(Path path, Function<String, Optional<Path>> jvmHome) {
        return parseMatrix(text(path), path.toString(), defaultName(path), jvmHome);
    }

    /// @param file its name in error messages
    public static Experiment parse(String text, String file, String defaultName) {
        YamlEntry root = root(text, file);
        Map<String, YamlEntry> keys = root.section(KEYS);
        YamlEntry matrix = keys.get(MatrixReader.KEY);
        if (matrix != null) {
            throw matrix.error(
                    "a matrix is many experiments, but this command takes one",
                    "Use `wallfinder run`, or leave the matrix out");
        }
        YamlEntry fit = keys.get(FitReader.KEY);
        if (fit != null && new FitReader(fit).candidates() != null) {
            throw fit.error(
                    "its candidates are many experiments, but this command takes one",
                    "Use `wallfinder fit` or `wallfinder run`, or leave them out");
        }
        return experiment(root, text, defaultName, PAIRS_MIN);
    }

    /// Reads an experiment for `fit`.
    ///
    /// @param jvmHome the folder of a JVM, by its version or path
    public static FitPlan readFit(Path path, Function<String, Optional<Path>> jvmHome) {
        return parseFit(text(path), path.toString(), defaultName(path), jvmHome);
    }

    static FitPlan parseFit(
            String text,
            String file,
            String defaultName,
            Function<String, Optional<Path>> jvmHome) {
        YamlEntry root = root(text, file);
        Map<String, YamlEntry> keys = root.section(KEYS);
        YamlEntry matrix = keys.get(MatrixReader.KEY);
        if (matrix != null) {
            throw matrix.error(
                    "a matrix is measured by `wallfinder run`",
                    "Make what it varies the candidates of `fit`, or leave it out");
        }
        FitReader fit =
                new FitReader(YamlEntry.required(keys, root, FitReader.KEY, "{ step: 10m }"));
        MatrixFactor candidates = fit.candidates();
        List<MatrixFactor> factors = candidates == null ? List.of() : List.of(candidates);
        return fit.plan(matrix(root, text, defaultName, factors, jvmHome));
    }

    /// Reads the text of an experiment with an optional matrix.
    ///
    /// @param file its name in error messages
    public static Matrix parseMatrix(
            String text,
            String file,
            String defaultName,
            Function<String, Optional<Path>> jvmHome) {
        YamlEntry root = root(text, file);
        Map<String, YamlEntry> keys = root.section(KEYS);
        List<MatrixFactor> factors = new ArrayList<>();
        YamlEntry fit = keys.get(FitReader.KEY);
        MatrixFactor candidates = fit == null ? null : new FitReader(fit).candidates();
        if (candidates != null) {
            factors.add(candidates);
        }
        YamlEntry matrix = keys.get(MatrixReader.KEY);
        if (matrix != null) {
            factors.addAll(MatrixFactor.readAll(matrix));
        }
        return matrix(root, text, defaultName, List.copyOf(factors), jvmHome);
    }

    /// @param factors may be empty, for a single cell
    private static Matrix matrix(
            YamlEntry root,
            String text,
            String defaultName,
            List<MatrixFactor> factors,
            Function<String, Optional<Path>> jvmHome) {
        Map<String, YamlEntry> keys = root.section(KEYS);
        String name = name(keys.get("name"), defaultName);
        int repeat = repeat(keys.get("repeat"), 1);
        if (factors.isEmpty()) {
            Experiment only = experiment(root, text, defaultName, 1);
            Matrix.Cell cell =
                    new Matrix.Cell(
                            Map.of(),
                            only,
                            MatrixReader.load(root.node()),
                            MatrixReader.jvms(root.node()));
            return new Matrix(name, text, repeat, List.of(), List.of(cell));
        }
        MatrixReader reader = new MatrixReader(root, factors, jvmHome);
        return new Matrix(
                name,
                text,
                repeat,
                reader.factors(),
                reader.cells(repeat, tree -> experiment(tree, text, defaultName, 1)));
    }

    private static Experiment experiment(
            YamlEntry root, String text, String defaultName, int repeatMin) {
        Map<String, YamlEntry> keys = root.section(KEYS);
        YamlEntry services =
                YamlEntry.required(keys, root, "services", "{ web: { command: ..., ready: ... } }");
        List<ServiceSpec> specs = ServiceReader.readAll(services);
        YamlEntry load =
                YamlEntry.required(keys, root, "load", "{ url: \"http://{server}:8080/\" }");
        Set<String> names = new LinkedHashSet<>(Placeholders.RESERVED);
        specs.forEach(service -> names.addAll(service.knobs().keySet()));
        YamlEntry tries = keys.get("try");
        Experiment experiment =
                new Experiment(
                        name(keys.get("name"), defaultName),
                        specs,
                        sandbox(keys.get("sandbox")),
                        LoadReader.read(load, names),
                        tries == null ? List.of() : tries(tries),
                        goal(keys.get("goal")),
                        repeat(keys.get("repeat"), repeatMin),
                        YamlEntry.optional(
                                keys.get("objective"),
                                objective -> objective.as("p99 < 50ms", Objective::parse)),
                        text);
        if (tries != null) {
            tries.elements(TRY).forEach(name -> check(name, experiment));
        }
        return experiment;
    }

    private static void check(YamlEntry tried, Experiment experiment) {
        if (!tried.text("poolSize").equals(Experiment.TRY_JVM)) {
            tried.as("poolSize", experiment::setting);
        } else if (experiment.services().stream().noneMatch(JvmOption::turnable)) {
            throw tried.error(
                    "no service has a command with java, so there is no option of a JVM to try",
                    "Leave 'jvm' out, or write the command as '{jvm}/bin/java ...'");
        }
    }

    private static String text(Path path) {
        return TextFile.read(
                path,
                BYTES_MAX,
                "experiment",
                "Give the path of a YAML file, such as experiments/accept-queue.yaml");
    }

    private static YamlEntry root(String text, String file) {
        LoadSettings settings = LoadSettings.builder().setLabel(file).build();
        try {
            checkDepth(text, file, settings);
            YamlEntry root =
                    new Composer(settings, parser(text, settings))
                            .getSingleNode()
                            .map(node -> new YamlEntry(file, "", node))
                            .orElseThrow(() -> notAnExperiment(file, "it is empty"));
            if (!(root.node() instanceof MappingNode)) {
                throw notAnExperiment(file, "its top level is not a section of keys");
            }
            return root;
        } catch (MarkedYamlEngineException e) {
            throw syntax(file, e.getProblemMark().orElse(null), e.getProblem());
        } catch (YamlEngineException e) {
            throw syntax(file, null, String.valueOf(e.getMessage()));
        }
    }

    /// The composer is recursive, so a bound keeps it from exhausting the stack.
    private static void checkDepth(String text, String file, LoadSettings settings) {
        int depth = 0;
        Parser events = parser(text, settings);
        while (events.hasNext()) {
            Event event = events.next();
            depth += event instanceof CollectionStartEvent ? 1 : 0;
            depth -= event instanceof CollectionEndEvent ? 1 : 0;
            if (depth > DEPTH_MAX) {
                throw syntax(file, event.getStartMark().orElse(null), "it is nested too deeply");
            }
        }
    }

    private static Parser parser(String text, LoadSettings settings) {
        return new ParserImpl(settings, new StreamReader(settings, text));
    }

    private static UsageException notAnExperiment(String file, String why) {
        return new UsageException(
                file + " is not an experiment",
                why,
                "Begin with one of experiments/: it needs at least 'services' and 'load'");
    }

    private static UsageException syntax(String file, @Nullable Mark mark, String problem) {
        String place =
                mark == null
                        ? ""
                        : ", line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
        return new UsageException(
                file + place + " is not valid YAML",
                problem.replaceAll("\\s+", " "),
                "Check the indentation; put values that begin with { or contain ': ' in quotes");
    }

    private static String defaultName(Path path) {
        Path last = path.getFileName();
        String file = last == null ? "experiment" : last.toString();
        String name = file.replaceFirst("\\.ya?ml$", "").replaceAll("[^A-Za-z0-9._-]+", "-");
        return name.matches("[A-Za-z0-9].*") ? name : "experiment";
    }

    private static String name(@Nullable YamlEntry entry, String defaultName) {
        // The name is part of the name of the run's folder.
        return entry == null
                ? defaultName
                : entry.matching(
                        "[A-Za-z0-9][A-Za-z0-9._-]{0,79}",
                        "a name of letters, digits, dots, dashes and underscores",
                        "accept-queue");
    }

    private static SandboxSpec sandbox(@Nullable YamlEntry entry) {
        if (entry == null) {
            return new SandboxSpec(Map.of(), Map.of());
        }
        Map<String, YamlEntry> ends = entry.section(SANDBOX_KEYS);
        YamlEntry ip = ends.get("ip");
        return new SandboxSpec(
                sysctls(ends.get("server")),
                sysctls(ends.get("client")),
                resolver(ends.get("server")),
                resolver(ends.get("client")),
                ip != null && ip.matching("[46]", "4 or 6", "6").equals("6"));
    }

    private static @Nullable Resolver resolver(@Nullable YamlEntry end) {
        YamlEntry entry = end == null ? null : end.section(SYSCTLS).get(RESOLVER);
        return entry == null ? null : entry.as("10.0.0.1", Resolver::parse);
    }

    private static Map<String, String> sysctls(@Nullable YamlEntry end) {
        if (end == null) {
            return Map.of();
        }
        for (Map.Entry<String, YamlEntry> child : end.section(SYSCTLS).entrySet()) {
            YamlEntry entry = child.getValue();
            if (child.getKey().equals(RESOLVER)) {
                continue;
            }
            // All others belong to the whole host, which Wallfinder never changes.
            if (child.getKey().length() > YamlEntry.MATCHED_MAX
                    || !SYSCTL.matcher(child.getKey()).matches()) {
                throw entry.error(
                        "'" + child.getKey() + "' is not a sysctl of a network namespace",
                        "Name one that begins with 'net.', such as net.core.somaxconn");
            }
            entry.text("128");
        }
        Map<String, String> sysctls = new LinkedHashMap<>(YamlEntry.texts(end, SYSCTLS));
        sysctls.remove(RESOLVER);
        return Collections.unmodifiableMap(sysctls);
    }

    private static List<String> tries(YamlEntry entry) {
        List<String> names = new ArrayList<>();
        for (YamlEntry element : entry.elements(TRY)) {
            String name = element.text("poolSize");
            if (names.contains(name)) {
                throw element.error("'" + name + "' appears twice", "Keep one of the two");
            }
            names.add(name);
        }
        return List.copyOf(names);
    }

    private static Experiment.Goal goal(@Nullable YamlEntry entry) {
        if (entry == null) {
            return Experiment.Goal.THROUGHPUT;
        }
        String word = entry.matching("throughput|capacity", "throughput or capacity", "capacity");
        return Experiment.Goal.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static int repeat(@Nullable YamlEntry entry, int min) {
        return entry == null ? REPEAT_DEFAULT : (int) entry.count("5", min, REPEAT_MAX);
    }
}
