package wallfinder;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import wallfinder.cli.Main;
import wallfinder.diagnosis.Walls;

/// The house rules that a program can check.
class TidyTest {
    private static final int METHOD_LINES_MAX = 60;
    private static final int FILE_LINES_MAX = 500;

    /// Names of packages without a subject, in which anything ends up.
    private static final Set<String> DRAWERS =
            Set.of("util", "utils", "common", "impl", "core", "manager", "helper", "helpers");

    /// Folders of one machine, written in parts because this test also scans its own file.
    private static final Pattern MACHINE_PATH =
            Pattern.compile("(?<![\\w.~}\\])-])/(home|root|work|Users)" + "/[\\w.]");

    private static final Pattern REGISTRY =
            Pattern.compile(
                    "\\b(repo1?|registry|nexus|artifactory|mirrors?)\\.[a-z0-9-]+\\.[a-z]{2,}"
                            + "|\\b(pypi|crates|rubygems|jitpack)"
                            + "\\.(org|io)\\b");

    private static final Pattern COMMAND = Pattern.compile("bin/wallfinder +([a-z]+)\\b([^|#`]*)");

    @Test
    void no_method_is_longer_than_60_lines() {
        List<String> tooLong = new ArrayList<>();
        for (Source source : Source.parsed(Tree.javaFiles())) {
            source.methods().stream()
                    .filter(method -> method.lines() > METHOD_LINES_MAX)
                    .map(method ->
                            at(source, method.line()) + method.name() + ": " + method.lines())
                    .forEach(tooLong::add);
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void no_source_file_is_longer_than_500_lines() {
        assertThat(Tree.javaFiles()).isNotEmpty();
        assertThat(
                        Tree.javaFiles().stream()
                                .filter(file -> Tree.lines(file).size() > FILE_LINES_MAX)
                                .map(Tree::shown))
                .isEmpty();
    }

    @Test
    void no_package_is_a_drawer() {
        assertThat(
                        Source.parsed(Tree.javaFiles()).stream()
                                .filter(source -> isDrawer(source.packageName()))
                                .map(source -> Tree.shown(source.file())))
                .isEmpty();
    }

    @Test
    void every_wall_has_its_page_and_every_page_its_wall() {
        assertThat(pages())
                .isEqualTo(Walls.ALL.stream().map(wall -> wall.id().word()).collect(toSet()));
    }

    @Test
    void every_page_begins_with_the_name_of_its_wall() {
        assertThat(Tree.files("docs/walls", ".md"))
                .allSatisfy(page ->
                        assertThat(Tree.lines(page).getFirst())
                                .startsWith("# " + stem(page) + ": "));
    }

    @Test
    void every_command_that_a_document_shows_exists() {
        assertThat(shownCommands())
                .hasSizeGreaterThan(100)
                .allSatisfy(
                        shown -> assertThat(Main.commands()).as(shown.where).contains(shown.name));
    }

    @Test
    void every_experiment_that_a_document_shows_exists() {
        Pattern study = Pattern.compile("experiments/[\\w-]+\\.ya?ml");
        List<String> paths = new ArrayList<>();
        for (Shown shown : shownCommands()) {
            study.matcher(shown.arguments)
                    .results()
                    .map(MatchResult::group)
                    .forEach(path -> {
                        assertThat(Tree.ROOT.resolve(path)).as(shown.where).exists();
                        paths.add(path);
                    });
        }
        assertThat(paths).hasSizeGreaterThan(30);
    }

    @Test
    void no_file_names_a_folder_of_one_machine() {
        assertThat(linesWith(MACHINE_PATH)).isEmpty();
    }

    @Test
    void no_file_names_a_registry() {
        assertThat(linesWith(REGISTRY)).isEmpty();
    }

    /// The examples are in parts, too.
    @Test
    void a_folder_of_one_machine_and_a_registry_are_found() {
        assertThat("cd /ho" + "me/ann/wallfinder").containsPattern(MACHINE_PATH);
        assertThat("tmp: '/wo" + "rk/tmp'").containsPattern(MACHINE_PATH);
        assertThat("bench/wo" + "rk/tmp, {root}/ho" + "me/x").doesNotContainPattern(MACHINE_PATH);
        assertThat("https://repo1." + "maven.org/maven2").containsPattern(REGISTRY);
        assertThat("https://pypi." + "org/simple").containsPattern(REGISTRY);
        assertThat("the registry. Then it ends").doesNotContainPattern(REGISTRY);
        assertThat(linesWith(Pattern.compile("^class TidyTest "))).hasSize(1);
    }

    @Test
    void no_service_depends_on_the_product() {
        assertThat(Tree.files("services", "pom.xml"))
                .isNotEmpty()
                .allSatisfy(pom ->
                        assertThat(String.join("\n", Tree.lines(pom)))
                                .doesNotContain("<artifactId>wallfinder</artifactId>"));
    }

    /// A command line of the program in a document.
    private record Shown(String where, String name, String arguments) {}

    private static List<Shown> shownCommands() {
        List<Shown> shown = new ArrayList<>();
        for (Path document : Tree.files("", ".md")) {
            List<String> lines = Tree.lines(document);
            for (int i = 0; i < lines.size(); i++) {
                Matcher command = COMMAND.matcher(lines.get(i));
                while (command.find()) {
                    String where = Tree.shown(document) + ":" + (i + 1);
                    shown.add(new Shown(where, command.group(1), command.group(2)));
                }
            }
        }
        return shown;
    }

    private static boolean isDrawer(String packageName) {
        return Stream.of(packageName.split("\\.")).anyMatch(DRAWERS::contains);
    }

    private static Set<String> pages() {
        return Tree.files("docs/walls", ".md").stream().map(TidyTest::stem).collect(toSet());
    }

    private static List<String> linesWith(Pattern forbidden) {
        List<String> found = new ArrayList<>();
        for (Path file : Tree.files()) {
            List<String> lines = Files.isSymbolicLink(file) ? List.of() : Tree.lines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (forbidden.matcher(lines.get(i)).find()) {
                    found.add(Tree.shown(file) + ":" + (i + 1) + ": " + lines.get(i).strip());
                }
            }
        }
        return found;
    }

    private static String at(Source source, long line) {
        return Tree.shown(source.file()) + ":" + line + ": ";
    }

    private static String stem(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.lastIndexOf('.'));
    }
}
