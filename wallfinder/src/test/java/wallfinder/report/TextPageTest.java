package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TextPageTest {
    private static List<Double> widths(String html, String cssClass) {
        return Pattern.compile("<rect class=\"%s\"[^>]* width=\"([0-9.]+)\"".formatted(cssClass))
                .matcher(html)
                .results()
                .map(bar -> Double.parseDouble(bar.group(1)))
                .toList();
    }

    /// A bar is as long as the plan's share of the limit, but ends soon after the line of the
    /// limit.
    @Test
    void the_limits_of_a_plan_are_bars() {
        String html = TextPage.html(SampleLimits.run()).toString();
        double whole = widths(html, "track").getFirst();
        assertThat(widths(html, "track")).hasSize(4);
        assertThat(widths(html, "bad"))
                .singleElement()
                .satisfies(bar -> assertThat(bar / whole).isBetween(1.14, 1.16));
        assertThat(widths(html, "near")).hasSize(1);
        assertThat(widths(html, "good"))
                .singleElement()
                .satisfies(bar -> assertThat(bar / whole).isBetween(0.045, 0.05));
        assertThat(html)
                .contains("needs 50,000, binds at 28,231", "needs an unknown number, binds at 100")
                .contains("the plan does not fit: ephemeral-ports", "What would move them")
                .contains("&lt;b&gt;")
                .doesNotContain("<b>", "NaN");
    }
}
