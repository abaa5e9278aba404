package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleHeld;
import wallfinder.record.SampleProfile;
import wallfinder.record.SampleRun;

/// axe-core tests the rules of WCAG 2 that a program can test, at the levels A and AA.
@Tag("browser")
@Tag("slow")
class AccessibilityTest {
    @TempDir Path folder;

    /// One page of each kind. Each is looked at in one of the two colour schemes.
    enum Looked {
        FIND(SampleRun.fullLadder(), Browser.Scheme.LIGHT),
        FIND_DARK(SampleRun.fullLadder(), Browser.Scheme.DARK),
        HOLD(SampleHeld.run(), Browser.Scheme.DARK),
        NOTHING(SampleRun.nothingMeasured(), Browser.Scheme.LIGHT),
        PROFILE(SampleProfile.changed(), Browser.Scheme.LIGHT),
        PROFILE_DARK(SampleProfile.changed(), Browser.Scheme.DARK),
        CAPACITIES(SampleCapacity.ladder(), Browser.Scheme.DARK),
        FIT(FitTableTest.run(), Browser.Scheme.LIGHT),
        FIT_DARK(FitTableTest.run(), Browser.Scheme.DARK);

        private final RunRecord run;
        private final Browser.Scheme scheme;

        Looked(RunRecord run, Browser.Scheme scheme) {
            this.run = run;
            this.scheme = scheme;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_page_has_no_barrier(Looked page) throws Exception {
        assertThat(barriers(Page.html(page.run), page.scheme)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void the_page_of_doctor_has_no_barrier(Browser.Scheme scheme) throws Exception {
        assertThat(barriers(TextPage.html(SampleLimits.run()).toString(), scheme)).isEmpty();
    }

    private String barriers(String html, Browser.Scheme scheme) throws Exception {
        String axe;
        try (InputStream script = ClassLoader.getSystemResourceAsStream("axe.min.js")) {
            axe = new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        }
        String test =
                "<script>"
                        + axe.replace("</script", "<\\/script")
                        + "</script>\n<script>axe.run().then((found) => {"
                        + " document.documentElement.dataset.rules = found.passes.length;"
                        + " document.documentElement.dataset.dark ="
                        + " matchMedia('(prefers-color-scheme: dark)').matches;"
                        + " document.documentElement.dataset.barriers = found.violations.map((one) =>"
                        + " one.id + ' ' + one.nodes.map((node) => node.html).join(' ')).join('; ');"
                        + "});</script>\n</body>";
        Path page = folder.resolve("report.html");
        Files.writeString(page, html.replace("</body>", test));
        String dom = Browser.dom(page.toUri(), scheme, folder);
        assertThat(dom)
                .containsPattern("<html[^>]* data-rules=\"[1-9][0-9]?\"")
                .containsPattern(
                        "<html[^>]* data-dark=\"%s\"".formatted(scheme == Browser.Scheme.DARK));
        Matcher barriers = Pattern.compile("<html[^>]* data-barriers=\"([^\"]*)\"").matcher(dom);
        assertThat(barriers.find()).isTrue();
        return barriers.group(1);
    }
}
