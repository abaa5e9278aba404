package wallfinder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Sources, scripts and documents avoid some words and phrases that no native speaker would use.
class PlainEnglishTest {
    /// CONTRIBUTING has the words to use instead.
    private static final List<String> BANNED =
            List.of(
                    "told",
                    "tells",
                    "telling",
                    "tell",
                    "aloud",
                    "held against",
                    "stands beside",
                    "as often as it takes",
                    "what it lacks",
                    "none is one",
                    "has it that",
                    "of their own accord",
                    "beside it");

    /// Files that contain such a word, with the reason.
    private static final Map<String, String> ALLOWED =
            Map.of(
                    "wallfinder/src/test/java/wallfinder/PlainEnglishTest.java",
                    "the list of the words",
                    "wallfinder/src/test/java/wallfinder/DocumentsTest.java",
                    "the list of the words for documents");

    /// Words that stay, with the reason.
    private static final Map<String, String> QUOTED =
            Map.of(
                    "\"told\"", "a field of run.json, whose format must not change",
                    "at(\"/told\")", "the same field",
                    "\\\"told\\\"", "the same field",
                    "run-java told to show", "a candidate's name in the output of a study");

    private static final Pattern WORDS =
            Pattern.compile(
                    "\\b(" + String.join("|", BANNED).replace(" ", "\\s+") + ")\\b",
                    Pattern.CASE_INSENSITIVE);

    private static final Pattern TEXT =
            Pattern.compile(".*\\.(java|sh|bash|bats|py|js|go|c|h|ya?ml|md|css|html)");

    @Test
    void no_file_contains_a_banned_word() {
        List<String> found = new ArrayList<>();
        for (Path file : Tree.files()) {
            String name = Tree.shown(file);
            if (!ALLOWED.containsKey(name) && !Files.isSymbolicLink(file)) {
                found.addAll(banned(name, Tree.lines(file)));
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void words_inside_an_identifier_and_across_lines_are_found() {
        assertThat(banned("A.java", List.of("int toldNanos;", "/// it is held", "    /// against")))
                .containsExactly("A.java:1: told", "A.java:2: held against");
        assertThat(banned("b.sh", List.of("is_told=1", "TOLD_MAX=2", "a retold story, Tellus")))
                .containsExactly("b.sh:1: told", "b.sh:2: told");
    }

    @Test
    void every_allowed_file_contains_a_banned_word() {
        assertThat(ALLOWED.keySet())
                .allSatisfy(name ->
                        assertThat(banned(name, Tree.lines(Tree.ROOT.resolve(name)))).isNotEmpty());
    }

    private static List<String> banned(String name, List<String> lines) {
        if (lines.isEmpty()
                || !TEXT.matcher(name).matches() && !lines.getFirst().startsWith("#!")) {
            return List.of();
        }
        String text = String.join("\n", lines.stream().map(PlainEnglishTest::words).toList());
        List<String> found = new ArrayList<>();
        Matcher banned = WORDS.matcher(text);
        while (banned.find()) {
            long line = 1 + text.chars().limit(banned.start()).filter(c -> c == '\n').count();
            String words = banned.group().toLowerCase(Locale.ROOT);
            found.add(name + ":" + line + ": " + words.replaceAll("\\s+", " "));
        }
        return found;
    }

    /// A line without quotations and its comment sign, with its identifiers split into words.
    private static String words(String line) {
        String own = line;
        for (String quoted : QUOTED.keySet()) {
            own = own.replace(quoted, "");
        }
        return own.replaceFirst("^\\s*(///?|#+|\\*|--)\\s+", "")
                .replaceAll("([a-z0-9])([A-Z])", "$1 $2")
                .replace('_', ' ');
    }
}
