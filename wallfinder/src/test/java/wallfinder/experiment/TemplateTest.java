package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
    @Test
    void variables_are_found_among_plain_text() {
        assertThat(Template.parse("/a/{counter}?b={random:7-90}&c").parts())
                .containsExactly(
                        new Template.Text("/a/"),
                        new Template.Counter(),
                        new Template.Text("?b="),
                        new Template.Random(7, 90),
                        new Template.Text("&c"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "{\"id\": 1}", "{}", "a{1}", "{ counter }", "[0-9]{2}"})
    void braces_around_anything_but_a_name_are_plain_text(String text) {
        Template template = Template.parse(text);
        assertThat(template.parts())
                .isEqualTo(text.isEmpty() ? List.of() : List.of(new Template.Text(text)));
    }

    @Test
    void a_backslash_escapes_a_name() {
        assertThat(Template.parse("{user{\\{name} \\{counter}}").parts())
                .containsExactly(new Template.Text("{user{{name} {counter}}"));
        assertThat(Template.fill("\\{server} {server}", Map.of("server", "10.0.0.1")))
                .isEqualTo("\\{server} 10.0.0.1");
    }

    @ParameterizedTest
    @CsvSource({
        "{countr},        there is no variable 'countr',      Did you mean 'counter'",
        "{randm:1-5},     there is no variable 'randm',       random:1-1000",
        "{rand},          there is no variable 'rand',        Did you mean 'random:1-1000'",
        "{random},        it needs two whole numbers,         {random:1-1000}",
        "{random:9},      it needs two whole numbers,         {random:1-1000}",
        "{random:9-1},    the first number is the larger,     the smaller one first",
        "{counter:5},     a counter takes no value,           write {counter}",
    })
    void an_invalid_variable_is_refused_with_advice(String text, String why, String todo) {
        assertThatThrownBy(() -> Template.parse("a" + text + "b"))
                .isInstanceOfSatisfying(
                        UsageException.class,
                        e -> {
                            assertThat(e.what()).startsWith(text);
                            assertThat(e.why()).contains(why);
                            assertThat(e.todo()).contains(todo);
                        });
    }

    @Test
    void other_names_stay_until_they_are_filled_in() {
        String text = "{server}/{counter}/{pool}";
        assertThat(Template.parse(text, List.of("server", "pool")).parts()).hasSize(3);
        assertThat(Template.fill(text, Map.of("server", "s", "counter2", "x")))
                .isEqualTo("s/{counter}/{pool}");
    }
}
