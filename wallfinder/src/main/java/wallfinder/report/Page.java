package wallfinder.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.observation.ResponseFigure;
import wallfinder.record.RunRecord;
import wallfinder.record.WholeFile;

/// Writes `report.html`, a page that needs no other file and no network.
public final class Page {
    private static final String CHART_JS =
            "META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.min.js";

    private static final String TIMES =
            "The scale of the response times is logarithmic. The darker a cell, the more answers of"
                    + " its interval took this long: at least one, 0.1 %, 1 %, 5 %, 20 %. The times"
                    + " of a row differ by at most 15 %, so p50 and p99 may be wrong by as much.";

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Page() {}

    /// Writes a file that appears whole or not at all.
    public static void write(RunRecord run, Path path) throws IOException {
        byte[] html = html(run).getBytes(StandardCharsets.UTF_8);
        WholeFile.write(path, out -> out.write(html));
    }

    /// The style of the page, for other pages that look like it.
    public static String style() {
        return resource("page.css");
    }

    /// The head of a page, and the beginning of its body.
    static Html begin(String title) {
        Html html = new Html();
        html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        // The browser refuses every request, even if a name or a script asks for one.
        html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
        html.raw("style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n");
        html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
        html.element("title", "", title + " - Wallfinder");
        html.raw("<style>\n" + style() + "</style>\n</head>\n<body>\n<main>\n");
        return html;
    }

    static String html(RunRecord run) {
        Html html = begin(run.name());
        PageHead.write(run, html);
        ClimbData climb = new ClimbData(run);
        Map<String, @Nullable Object> climbs = climb.picture();
        if (!climbs.isEmpty()) {
            climb(run, climb, html);
        }
        PageHold.write(run, html);
        PageLadder.write(run, html);
        PageProfile.write(run, html);
        chart(run, html);
        PageHeat.write(run, html);
        PageTrials.doubts(run, html);
        PageTrials.write(run, html);
        html.raw("</main>\n<script type=\"application/json\" id=\"run\">");
        html.raw(inScript(MAPPER.writeValueAsString(new PageData(run).of())));
        html.raw("</script>\n<script>\n" + chartJs() + "\n</script>\n");
        html.raw("<script>\n" + resource("page.js") + "</script>\n");
        script("climb", climbs.isEmpty(), climbs, html);
        List<?> flames = PageProfile.flames(run);
        script("flames", flames.isEmpty(), flames, html);
        html.raw("</body>\n</html>\n");
        return html.toString();
    }

    /// A picture's data and the script that draws it. Without data there is no picture.
    private static void script(String name, boolean empty, Object data, Html html) {
        if (empty) {
            return;
        }
        html.raw("<script type=\"application/json\" id=\"" + name + "\">");
        html.raw(inScript(MAPPER.writeValueAsString(data)));
        html.raw("</script>\n<script>\n" + resource(name + ".js") + "</script>\n");
    }

    private static void climb(RunRecord run, ClimbData data, Html html) {
        html.raw(
                """
                <section id="climbs">
                <h2>As the load grew</h2>
                <div class="chart tall"><canvas id="climb-chart" role="img" aria-label="Answers a second, \
                response times and the limits that came near, by the load"></canvas></div>
                <p class="quiet">A flag marks the load at which a wall stopped the service. A limit is full at 100 %.
                """);
        html.text(
                        run.capacity() == null
                                ? "Each rung's curve has the remedies of the rungs before it."
                                : "The broad line is the capacity, with its interval.")
                .raw("</p>\n<details><summary>Its figures as a table</summary>\n");
        html.table(data.table());
        html.raw("</details>\n</section>\n");
    }

    private static boolean isTimed(RunRecord.Trial trial) {
        return trial.observation().timeline().all(ResponseFigure.COUNT).findAny().isPresent();
    }

    private static void chart(RunRecord run, Html html) {
        html.raw("<section id=\"time\">\n<h2>Over time</h2>\n");
        boolean any =
                run.trials().stream().anyMatch(t -> t.observation().timeline().nanos().length > 1);
        if (any) {
            html.raw(
                    """
                    <p class="controls"><label>Trials <select id="trial"></select></label>
                    <label>Counter <select id="counter"></select></label></p>
                    <div class="chart"><canvas id="chart" role="img" aria-label="Rate, response times \
                    and a counter over time"></canvas></div>
                    """);
            if (run.trials().stream().anyMatch(Page::isTimed)) {
                html.element("p", "quiet", TIMES);
            }
        } else {
            html.element("p", "quiet", "Nothing was sampled.");
        }
        html.raw("</section>\n");
    }

    /// JSON has `<` only inside strings, where an escape may replace it. So no name ends the
    /// script.
    public static String inScript(String json) {
        return json.replace("<", "\\u003c")
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029");
    }

    /// Without the reference to the source map, which the page does not contain.
    private static String chartJs() {
        return text(Page.class.getClassLoader().getResourceAsStream(CHART_JS), CHART_JS)
                .replaceAll("(?m)^//# sourceMappingURL=.*$", "")
                .replace("</script", "<\\/script")
                .replace("<!--", "<\\!--");
    }

    private static String resource(String name) {
        return text(Page.class.getResourceAsStream(name), name);
    }

    private static String text(@Nullable InputStream resource, String name) {
        try (InputStream in = Objects.requireNonNull(resource, name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
