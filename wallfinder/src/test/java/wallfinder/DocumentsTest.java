package wallfinder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Checks the documents: their size, their links, their words, and the messages that they quote.
class DocumentsTest {
    private static final int README_LINES_MAX = 120;
    private static final int README_LINE_LENGTH_MAX = 120;
    private static final int LINE_LENGTH_MAX = 130;

    /// More words for documents to avoid, besides those of [PlainEnglishTest]. CONTRIBUTING has the
    /// words to use instead.
    private static final List<String> BANNED =
            List.of(
                    "told",
                    "aloud",
                    "is held against",
                    "are held against",
                    "stands beside",
                    "what it lacks",
                    "none is one",
                    "as often as it takes",
                    "who is not",
                    "tells of",
                    "whereof",
                    "thereof",
                    "whoever",
                    "in turn of",
                    "is there where",
                    "in the place of",
                    "for want of",
                    "at the least",
                    "at the most",
                    "by so much",
                    "as it stands",
                    "it did not stop",
                    "mended",
                    "likewise");

    private static final Pattern CHECKED =
            Pattern.compile(
                    "(README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\\.md|(docs|launcher|services)/.*");

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CASE = Pattern.compile("`bench/diagnosis ([a-z][a-z0-9-]+)`");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");

    /// A table's first cell that is a message, such as `there is no JVM ...`.
    private static final Pattern MESSAGE = Pattern.compile("^\\| `([^`]+)`[^|]*\\|");

    /// The list of keys that a section of an experiment may have.
    private static final Pattern KEYS = Pattern.compile("\\b\\w*KEYS =([^;]*);");

    private static final Pattern KEY = Pattern.compile("\"(\\w+)\"");

    /// The end of a string literal and the beginning of the literal that is joined to it.
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");

    @Test
    void the_readme_is_a_front_page() {
        List<String> lines = Tree.lines(Tree.ROOT.resolve("README.md"));
        assertThat(lines).hasSizeLessThanOrEqualTo(README_LINES_MAX);
        assertThat(lines)
                .allSatisfy(line ->
                        assertThat(line.length())
                                .as(line)
                                .isLessThanOrEqualTo(README_LINE_LENGTH_MAX));
    }

    @Test
    void lines_of_documents_are_short_outside_of_tables_and_code() {
        List<String> tooLong = new ArrayList<>();
        for (Path document : written()) {
            List<String> prose = prose(document);
            for (int i = 0; i < prose.size(); i++) {
                String line = prose.get(i);
                if (line.length() > LINE_LENGTH_MAX && !line.startsWith("|")) {
                    tooLong.add(at(document, i) + line.length());
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void documents_are_in_plain_english() {
        List<String> found = new ArrayList<>();
        for (Path document : written()) {
            String text = String.join(" ", prose(document)).replaceAll("\\s+", " ");
            BANNED.stream()
                    .filter(words -> contains(text, words))
                    .map(words -> Tree.shown(document) + ": " + words)
                    .forEach(found::add);
        }
        assertThat(found).isEmpty();
    }

    @Test
    void every_link_of_a_document_has_a_target() {
        List<String> broken = new ArrayList<>();
        for (Path document : Tree.files("", ".md")) {
            LINK.matcher(String.join("\n", prose(document)))
                    .results()
                    .map(found -> found.group(1))
                    .filter(link -> !link.contains("://") && !leads(document, link))
                    .map(link -> Tree.shown(document) + ": " + link)
                    .forEach(broken::add);
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void every_case_of_the_catalogue_in_a_document_exists() {
        List<String> cases =
                Tree.files("docs", ".md").stream()
                        .flatMap(document -> Tree.lines(document).stream())
                        .flatMap(line -> CASE.matcher(line).results())
                        .map(found -> found.group(1))
                        .toList();
        assertThat(cases)
                .hasSizeGreaterThan(30)
                .allSatisfy(one ->
                        assertThat(Tree.ROOT.resolve("bench/catalogue/" + one + ".yaml")).exists());
    }

    @Test
    void the_index_of_the_manual_has_every_page() {
        Path docs = Tree.ROOT.resolve("docs");
        String index = String.join("\n", Tree.lines(docs.resolve("README.md")));
        assertThat(Tree.files("docs", ".md"))
                .filteredOn(page -> docs.equals(page.getParent()))
                .filteredOn(page -> !page.endsWith("README.md"))
                .hasSizeGreaterThan(25)
                .allSatisfy(page -> assertThat(index).contains("](" + page.getFileName() + ")"));
    }

    /// The dots stand for names and numbers.
    @Test
    void the_messages_that_the_manual_explains_are_those_of_the_program() {
        String sources = sources();
        List<String> explained = new ArrayList<>();
        for (String line : Tree.lines(Tree.ROOT.resolve("docs/troubleshooting.md"))) {
            MESSAGE.matcher(line)
                    .results()
                    .flatMap(found -> Stream.of(found.group(1).split("'?\\.\\.\\.'?")))
                    .map(String::strip)
                    .filter(Predicate.not(String::isEmpty))
                    .forEach(explained::add);
        }
        assertThat(explained)
                .hasSizeGreaterThan(30)
                .filteredOn(part -> !sources.contains(part))
                .isEmpty();
    }

    @Test
    void the_manual_has_every_key_of_an_experiment() {
        StringBuilder manual = new StringBuilder();
        for (String page : List.of("experiment", "load-commands", "hold", "fit", "tls")) {
            manual.append(String.join("\n", Tree.lines(Tree.ROOT.resolve("docs/" + page + ".md"))));
        }
        Set<String> keys = new HashSet<>();
        for (Path source : Tree.files("wallfinder/src/main/java/wallfinder/experiment", ".java")) {
            KEYS.matcher(String.join(" ", Tree.lines(source)))
                    .results()
                    .flatMap(list -> KEY.matcher(list.group(1)).results())
                    .map(key -> key.group(1))
                    .forEach(keys::add);
        }
        assertThat(keys)
                .hasSizeGreaterThan(50)
                .allSatisfy(key ->
                        assertThat(manual).containsPattern("\\b" + Pattern.quote(key) + "\\b"));
    }

    private static String sources() {
        StringBuilder all = new StringBuilder();
        Stream.concat(
                        Tree.files("wallfinder/src/main/java", ".java").stream(),
                        Stream.of("bin/build.sh", "bin/start.sh").map(Tree.ROOT::resolve))
                .forEach(file -> all.append(String.join(" ", Tree.lines(file))));
        return JOINED.matcher(all).replaceAll("");
    }

    /// The documents whose language is checked.
    private static List<Path> written() {
        return Tree.files("", ".md").stream()
                .filter(file -> CHECKED.matcher(Tree.shown(file)).matches())
                .toList();
    }

    private static boolean contains(String text, String words) {
        return Pattern.compile("\\b" + words + "\\b", Pattern.CASE_INSENSITIVE)
                .matcher(text)
                .find();
    }

    /// The lines of a document, empty where they are code.
    private static List<String> prose(Path document) {
        List<String> prose = new ArrayList<>();
        boolean code = false;
        for (String line : Tree.lines(document)) {
            boolean fence = line.strip().startsWith("```");
            code ^= fence;
            prose.add(code || fence ? "" : line);
        }
        return prose;
    }

    private static boolean leads(Path document, String link) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target = document.resolveSibling(path).normalize();
        if (path.isEmpty()) {
            target = document;
        }
        if (!Files.exists(target)) {
            return false;
        }
        return hash < 0 || anchors(target).contains(link.substring(hash + 1));
    }

    /// As GitHub makes them from headings.
    private static Set<String> anchors(Path document) {
        Set<String> anchors = new HashSet<>();
        for (String line : prose(document)) {
            HEADING.matcher(line)
                    .results()
                    .map(found -> found.group(1).strip().toLowerCase(Locale.ROOT))
                    .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                    .forEach(anchors::add);
        }
        return anchors;
    }

    private static String at(Path document, int index) {
        return Tree.shown(document) + ":" + (index + 1) + ": ";
    }
}
