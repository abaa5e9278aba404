package wallfinder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import wallfinder.diagnosis.Walls;

/// The product contains no name of a service, study or knob, because it must find walls in unknown
/// services.
class NothingFittedTest {
    /// Technical terms that are also names in our studies, each with its use. They may occur in a
    /// sentence or name a variable. A string that consists of such a word could look up a knob, so
    /// it is forbidden.
    private static final Map<String, String> FIELD_WORDS =
            Map.of(
                    "backlog", "the argument of listen(2), in advice to the reader",
                    "echo", "the shell's command, in advice to the reader");

    @Test
    void the_product_contains_no_name_of_a_service_a_study_or_a_knob() {
        Set<String> names = names();
        List<String> found = new ArrayList<>();
        for (Source source : Source.parsed(Tree.files("wallfinder/src/main/java", ".java"))) {
            for (String name : names) {
                found.addAll(uses(source, name));
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void the_names_are_collected() {
        assertThat(names()).contains("webflux", "users", "event-loops", "eventLoops", "backlog");
    }

    @Test
    void a_field_word_is_still_a_name_of_ours() {
        assertThat(names()).containsAll(FIELD_WORDS.keySet());
    }

    private static List<String> uses(Source source, String name) {
        Pattern word = Pattern.compile("(?<![\\w-])" + Pattern.quote(name) + "(?![\\w-])");
        boolean fieldWord = FIELD_WORDS.containsKey(name);
        List<String> found = new ArrayList<>();
        for (Source.Word literal : source.literals()) {
            if (literal.text().equals(name)
                    || (!fieldWord && word.matcher(literal.text()).find())) {
                found.add(found(source, literal, name));
            }
        }
        for (Source.Word declared : source.declared()) {
            if (!fieldWord && joined(declared.text()).equals(joined(name))) {
                found.add(found(source, declared, name));
            }
        }
        return found;
    }

    private static String found(Source source, Source.Word word, String name) {
        return "%s:%d: %s, in %s"
                .formatted(Tree.shown(source.file()), word.line(), name, word.text());
    }

    /// `eventLoops`, `event-loops` and `EVENT_LOOPS` are one name.
    private static String joined(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    /// The names of services, of studies, and of the services and knobs in studies. A study may
    /// have the name of the wall that it shows.
    private static Set<String> names() {
        Set<String> names = new TreeSet<>(Tree.folders("services"));
        for (Path study : Tree.files("experiments", ".yaml")) {
            names.add(study.getFileName().toString().replaceFirst("\\.yaml$", ""));
            Map<?, ?> read = mapping(loaded(study));
            names.add(String.valueOf(read.get("name")));
            mapping(read.get("services"))
                    .forEach((service, spec) -> {
                        names.add(String.valueOf(service));
                        mapping(mapping(spec).get("knobs"))
                                .keySet()
                                .forEach(knob -> names.add(String.valueOf(knob)));
                    });
        }
        Walls.ALL.stream().map(wall -> wall.id().word()).forEach(names::remove);
        return names;
    }

    private static Object loaded(Path study) {
        return new Load(LoadSettings.builder().build())
                .loadFromString(String.join("\n", Tree.lines(study)));
    }

    private static Map<?, ?> mapping(Object value) {
        return value instanceof Map<?, ?> mapping ? mapping : Map.of();
    }
}
