package wallfinder.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a service may print.
class HarmlessTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[2J\u001b[H", // CSI: an empty screen
                "\u001b]0;title\u0007", // OSC: the title of the window
                "\u009b2J", // CSI in one character of C1
                "\u009d0;title\u009c", // OSC in C1
                "\u202etxt.exe", // from the right to the left
                "\u2066\u2069\u200f\u200e", // other marks of direction
                "\u2028line\u2029paragraph",
                "\b\b\bover\u007f\r"
            })
    void no_character_of_control_or_direction_is_left(String hostile) {
        String line = Harmless.line("a" + hostile + "b");
        assertThat(line).matches("a[ -~]*b").hasSize(hostile.length() + 2);
        assertThat(Harmless.lines(hostile)).isEqualTo(Harmless.line(hostile));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "größer, 大, привет, ━┈█", "100 % of 1 CPU"})
    void letters_of_all_alphabets_stay(String text) {
        assertThat(Harmless.line(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = "first\nsecond\tcolumn")
    void the_lines_of_a_text_stay_lines(String text) {
        assertThat(Harmless.lines(text)).isEqualTo(text);
        assertThat(Harmless.line(text)).isEqualTo("first second column");
    }
}
