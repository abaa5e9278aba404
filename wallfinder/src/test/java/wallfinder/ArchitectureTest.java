package wallfinder;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Which package may use which. Data flows one way: experiment, sandbox, load, observation,
/// diagnosis, report.
class ArchitectureTest {
    /// The packages that each package may use.
    private static final Map<String, Set<String>> MAY_USE =
            Map.ofEntries(
                    entry("experiment", Set.of()),
                    entry("linux", Set.of()),
                    entry("observation", Set.of("experiment")),
                    entry("sandbox", Set.of("experiment", "observation", "linux")),
                    entry("synthetic", Set.of("linux")),
                    entry("load", Set.of("experiment", "observation", "linux", "synthetic")),
                    entry("sampling", Set.of("experiment", "observation", "linux")),
                    entry("profiling", Set.of("observation", "linux", "sampling")),
                    entry("diagnosis", Set.of("experiment", "observation")),
                    entry("record", Set.of("experiment", "observation", "diagnosis")),
                    entry("report", Set.of("experiment", "observation", "diagnosis", "record")),
                    entry("live", Set.of("experiment", "observation", "diagnosis", "record")),
                    entry("web", Set.of("linux", "report", "live")),
                    entry("remote", Set.of("experiment", "linux")),
                    lab("compare", "find", "study"),
                    lab("session"),
                    lab("peer", "session"),
                    lab("agent", "session", "peer", "trial"),
                    lab("trial", "session", "peer"),
                    lab("hold", "session", "peer", "trial"),
                    lab("find", "session", "peer", "trial", "capacity"),
                    lab("capacity", "session", "peer", "trial"),
                    lab("study", "session", "trial", "find"),
                    lab("fit", "session", "trial", "find", "study"),
                    lab("doctor", "session", "trial"),
                    lab("serve"),
                    entry("mcp", Set.of("lab.trial", "experiment", "record", "report", "linux")),
                    // cli turns linux's EnvironmentException into exit code 3.
                    entry(
                            "cli",
                            Set.of(
                                    "lab",
                                    "experiment",
                                    "record",
                                    "report",
                                    "live",
                                    "web",
                                    "mcp",
                                    "remote",
                                    "linux")));

    /// A package of the lab. It may use all packages outside the lab except `web`, `mcp` and `cli`,
    /// and these of the lab.
    private static Map.Entry<String, Set<String>> lab(String room, String... others) {
        Set<String> used =
                new TreeSet<>(
                        Set.of(
                                "experiment",
                                "linux",
                                "observation",
                                "sandbox",
                                "synthetic",
                                "load",
                                "sampling",
                                "profiling",
                                "diagnosis",
                                "record",
                                "report",
                                "live",
                                "remote"));
        Stream.of(others).map("lab."::concat).forEach(used::add);
        return entry("lab." + room, used);
    }

    /// `Wall`, `lab.find.Find` or `Judgement.Binds`: the room, the type, its member.
    private static final Pattern QUOTED =
            Pattern.compile(
                    "`([a-z.]*?)\\.?\\b([A-Z]\\w+(?<!Test))(?:\\.(\\w+))?(?:\\([a-z]*\\))?`");

    private static final Pattern TYPE = Pattern.compile("()\\b([A-Z]\\w+)(?:\\.(\\w+))?");

    private static final JavaClasses PRODUCT =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("wallfinder");

    static Stream<String> table() {
        return MAY_USE.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("table")
    void a_package_uses_only_what_the_table_allows(String name) {
        List<String> allowed = new ArrayList<>(MAY_USE.get(name));
        allowed.add(name);
        String[] forbidden =
                table().filter(other -> !allowed.contains(other))
                        .filter(other -> !allowed.contains(other.split("\\.")[0]))
                        .map(ArchitectureTest::classesOf)
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(classesOf(name))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(forbidden)
                .as("%s uses only %s".formatted(name, MAY_USE.get(name)))
                .allowEmptyShould(true)
                .check(PRODUCT);
    }

    @Test
    void no_two_packages_need_each_other() {
        slices().matching("wallfinder.(**)").should().beFreeOfCycles().check(PRODUCT);
    }

    @Test
    void every_package_is_in_the_table() {
        assertThat(MAY_USE.keySet()).containsAll(packages());
    }

    /// A rule for a package that is gone checks nothing.
    @Test
    void every_package_of_the_table_exists() {
        assertThat(packages()).containsAll(MAY_USE.keySet());
    }

    @Test
    void architecture_has_the_same_table() {
        List<String[]> rows =
                Tree.lines(Tree.ROOT.resolve("ARCHITECTURE.md")).stream()
                        .filter(line -> line.startsWith("| `"))
                        .map(line -> line.replace("`", "").split(" *\\| *"))
                        .toList();
        List<String> names = rows.stream().map(row -> row[1]).toList();
        List<String> these = new ArrayList<>(names.subList(0, names.indexOf("lab.session")));
        these.remove("web");
        Map<String, Set<String>> shown = new TreeMap<>();
        for (String[] row : rows) {
            Set<String> used = new TreeSet<>();
            for (String word : row[3].split(", ")) {
                switch (word) {
                    case "nothing" -> {}
                    case "these" -> used.addAll(these);
                    default -> used.add(names.contains("lab." + word) ? "lab." + word : word);
                }
            }
            shown.put(row[1], used);
        }
        assertThat(shown).isEqualTo(MAY_USE);
    }

    @Test
    void the_classes_and_methods_that_architecture_names_exist() {
        String document = String.join("\n", Tree.lines(Tree.ROOT.resolve("ARCHITECTURE.md")));
        String picture = document.split("\n## The data along the line\n```\n")[1].split("```")[0];
        List<MatchResult> named =
                Stream.concat(QUOTED.matcher(document).results(), TYPE.matcher(picture).results())
                        .toList();
        assertThat(named).hasSizeGreaterThan(50);
        assertThat(named)
                .filteredOn(name -> !exists(name.group(1), name.group(2), name.group(3)))
                .map(MatchResult::group)
                .isEmpty();
    }

    private static boolean exists(String room, String type, String member) {
        return PRODUCT.stream()
                .filter(candidate -> candidate.getSimpleName().equals(type))
                .filter(candidate ->
                        room.isEmpty() || candidate.getPackageName().equals("wallfinder." + room))
                .anyMatch(candidate ->
                        member == null
                                || PRODUCT.contain(candidate.getName() + "$" + member)
                                || candidate.getAllMethods().stream()
                                        .anyMatch(method -> method.getName().equals(member)));
    }

    @Test
    void only_linux_calls_native_functions() {
        noClasses()
                .that()
                .resideOutsideOfPackage(classesOf("linux"))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Linker.class, SymbolLookup.class, FunctionDescriptor.class)
                .check(PRODUCT);
    }

    /// The diagnosis uses no file, socket, process or clock, so recorded observations can be judged
    /// again.
    @Test
    void the_diagnosis_is_pure() {
        noClasses()
                .that()
                .resideInAPackage(classesOf("diagnosis"))
                .should()
                .dependOnClassesThat(outsideWorld())
                .check(PRODUCT);
        noClasses()
                .that()
                .resideInAPackage(classesOf("diagnosis"))
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .orShould()
                .callMethod(System.class, "getProperty", String.class)
                .check(PRODUCT);
    }

    @Test
    void no_service_is_on_the_class_path() {
        classes().should().resideOutsideOfPackage("wallfinder.services..").check(PRODUCT);
    }

    private static DescribedPredicate<JavaClass> outsideWorld() {
        Set<String> named =
                Set.of(
                        "java.lang.Process",
                        "java.lang.ProcessBuilder",
                        "java.lang.ProcessHandle",
                        "java.lang.Runtime",
                        "java.lang.Thread",
                        "java.time.Clock",
                        "java.util.Random");
        return DescribedPredicate.describe(
                "reach outside the program",
                used ->
                        named.contains(used.getName())
                                || used.getPackageName().startsWith("java.io")
                                || used.getPackageName().startsWith("java.net")
                                || used.getPackageName().startsWith("java.nio.file"));
    }

    private static String classesOf(String name) {
        return "wallfinder." + name + "..";
    }

    private static Set<String> packages() {
        return PRODUCT.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith("wallfinder."))
                .map(name -> name.substring("wallfinder.".length()))
                .collect(toCollection(TreeSet::new));
    }
}
