package wallfinder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;

class DoubtTest {
    private static final Path DOUBTS =
            Tree.ROOT.resolve("wallfinder/src/main/java/wallfinder/observation/Doubt.java");
    private static final Pattern ADVICE = Pattern.compile("\\n {4}([A-Z_]+)\\(\\s*\"([^\"]*)\"\\)");
    private static final Pattern FIGURE = Pattern.compile("%[,.\\d]*[sdf]");
    private static final Pattern RAISED =
            Pattern.compile("Doubt\\.([A-Z_]+)\\s*\\.(caveat|about)\\(");

    /// The compiler does not check the number of figures.
    @Test
    void each_doubt_is_raised_with_the_figures_of_its_advice() {
        String sources =
                Tree.files("wallfinder/src/main", ".java").stream()
                        .map(DoubtTest::text)
                        .collect(Collectors.joining());
        Map<String, Long> figures = new HashMap<>();
        ADVICE.matcher(text(DOUBTS))
                .results()
                .forEach(advice -> {
                    long count = FIGURE.matcher(advice.group(2)).results().count();
                    figures.put(advice.group(1), count);
                });
        List<MatchResult> raised = RAISED.matcher(sources).results().toList();
        assertThat(raised)
                .extracting(call -> call.group(1))
                .containsAll(Stream.of(Doubt.values()).map(Enum::name).toList())
                .allMatch(figures::containsKey);
        for (MatchResult call : raised) {
            long subject = call.group(2).equals("about") ? 1 : 0;
            assertThat(arguments(sources, call.end()) - subject)
                    .as(call.group(1))
                    .isEqualTo(figures.get(call.group(1)));
        }
    }

    private static String text(Path file) {
        return String.join("\n", Tree.lines(file));
    }

    private static long arguments(String source, int from) {
        int commas = 0;
        int depth = 1;
        boolean quoted = false;
        for (int i = from; depth > 0; i++) {
            char c = source.charAt(i);
            quoted ^= c == '"';
            if (!quoted) {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                commas += depth == 1 && c == ',' ? 1 : 0;
            }
        }
        return source.charAt(from) == ')' ? 0 : commas + 1;
    }

    @Test
    void a_doubt_is_read_as_it_was_written() {
        List<Caveat> caveats =
                List.of(
                        Doubt.NOT_STEADY.caveat(3.0),
                        Doubt.DRIFT.about("server:heap", "it grew", 5, 2.0),
                        new Caveat.Near(WallId.CPU, "almost"),
                        new Caveat.Foreign("of-tomorrow", "unknown today"));
        assertThat(caveats)
                .allSatisfy(caveat ->
                        assertThat(Caveat.read(caveat.id(), caveat.advice())).isEqualTo(caveat));
        assertThat(caveats)
                .extracting(Caveat::id)
                .containsExactly("not-steady", "drift:server:heap", "near:cpu", "of-tomorrow");
    }
}
