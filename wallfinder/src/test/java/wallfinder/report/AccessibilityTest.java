package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleHeld;
import wallfinder.record.SampleProfile;
import wallfinder.record.SampleRun;

/// axe-core tests the rules of WCAG 2 that a program can test, at the levels A and AA.
@Tag("browser")
@Tag("slow")
class AccessibilityTest {
    /// One page of each kind. Each is looked at in one of the two colour schemes.
    enum Looked {
        FIND(Page.html(SampleRun.fullLadder()), Browser.Scheme.LIGHT),
        FIND_DARK(Page.html(SampleRun.fullLadder()), Browser.Scheme.DARK),
        HOLD(Page.html(SampleHeld.run()), Browser.Scheme.DARK),
        NOTHING(Page.html(SampleRun.nothingMeasured()), Browser.Scheme.LIGHT),
        PROFILE(Page.html(SampleProfile.changed()), Browser.Scheme.LIGHT),
        PROFILE_DARK(Page.html(SampleProfile.changed()), Browser.Scheme.DARK),
        CAPACITIES(Page.html(SampleCapacity.ladder()), Browser.Scheme.DARK),
        FIT(Page.html(FitTableTest.run()), Browser.Scheme.LIGHT),
        FIT_DARK(Page.html(FitTableTest.run()), Browser.Scheme.DARK),
        DOCTOR(TextPage.html(SampleLimits.run()).toString(), Browser.Scheme.LIGHT),
        DOCTOR_DARK(TextPage.html(SampleLimits.run()).toString(), Browser.Scheme.DARK);

        private final String html;
        private final Browser.Scheme scheme;

        Looked(String html, Browser.Scheme scheme) {
            this.html = html;
            this.scheme = scheme;
        }
    }

    private static final Map<Looked, String> DOMS = new ConcurrentHashMap<>();

    /// Each page needs a browser of its own. On a host with two CPUs, two of them run at a time.
    @BeforeAll
    static void look(@TempDir Path folder) {
        Browser.assumed();
        Stream.of(Looked.values())
                .parallel()
                .forEach(page -> DOMS.put(page, dom(page, folder.resolve(page.name()))));
    }

    private static String dom(Looked page, Path folder) {
        try (InputStream script = ClassLoader.getSystemResourceAsStream("axe.min.js")) {
            String axe =
                    new String(
                            Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
            Path file = Files.createDirectory(folder).resolve("report.html");
            Files.writeString(file, page.html.replace("</body>", tested(axe) + "</body>"));
            return Browser.dom(file.toUri(), page.scheme, folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String tested(String axe) {
        return "<script>"
                + axe.replace("</script", "<\\/script")
                + "</script>\n<script>axe.run().then((found) => {"
                + " document.documentElement.dataset.rules = found.passes.length;"
                + " document.documentElement.dataset.dark ="
                + " matchMedia('(prefers-color-scheme: dark)').matches;"
                + " document.documentElement.dataset.barriers = found.violations.map((one) =>"
                + " one.id + ' ' + one.nodes.map((node) => node.html).join(' ')).join('; ');"
                + "});</script>\n";
    }

    @ParameterizedTest
    @EnumSource
    void a_page_has_no_barrier(Looked page) {
        String dom = Objects.requireNonNull(DOMS.get(page));
        assertThat(dom)
                .containsPattern("<html[^>]* data-rules=\"[1-9][0-9]?\"")
                .containsPattern(
                        "<html[^>]* data-dark=\"%s\""
                                .formatted(page.scheme == Browser.Scheme.DARK));
        Matcher barriers = Pattern.compile("<html[^>]* data-barriers=\"([^\"]*)\"").matcher(dom);
        assertThat(barriers.find()).isTrue();
        assertThat(barriers.group(1)).isEmpty();
    }
}
