package wallfinder.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import wallfinder.record.Comparison;
import wallfinder.record.Comparison.Kind;
import wallfinder.record.RunRecord;
import wallfinder.record.WholeFile;

/// Pages of results that are text on the terminal: pictures first, and then that text.
public final class TextPage {
    /// The kinds of figures that are worth a picture.
    private static final List<Kind> PICTURES =
            List.of(Kind.CAPACITY, Kind.GOOD_PER_SECOND, Kind.P50, Kind.P99, Kind.CPU_MICROS);

    private TextPage() {}

    /// Of `doctor`.
    public static void write(RunRecord run, Path path) throws IOException {
        write(html(run), path);
    }

    /// Of `compare`.
    public static void write(Comparison comparison, Path path) throws IOException {
        write(html(comparison), path);
    }

    private static void write(Html html, Path path) throws IOException {
        byte[] bytes = html.toString().getBytes(StandardCharsets.UTF_8);
        WholeFile.write(path, out -> out.write(bytes));
    }

    static Html html(RunRecord run) {
        Html html = Page.begin(run.name());
        PageHead.heading(run, html);
        html.raw("<section id=\"result\">\n")
                .element("p", "result", String.valueOf(run.ended()))
                .raw("</section>\n<section>\n<h2>Limits, the first to bind at the top</h2>\n");
        PageLimits.write(run.limits(), html);
        return end(LimitsTable.of(run, new PlainText(false)), html);
    }

    static Html html(Comparison comparison) {
        Html html = Page.begin("A and B");
        html.raw("<header>\n").element("h1", "", "Two runs, A and B");
        for (Comparison.Side side : List.of(comparison.a(), comparison.b())) {
            html.element("p", "command", side.command());
        }
        html.raw("</header>\n<section id=\"result\">\n");
        html.element("p", "result", ComparisonText.headline(comparison));
        html.raw("</section>\n<section>\n");
        for (Kind kind : PICTURES) {
            sides(kind, comparison, html);
            ratios(kind, comparison, html);
        }
        return end(ComparisonText.of(comparison, false), html);
    }

    /// Both runs side by side, from zero.
    private static void sides(Kind kind, Comparison comparison, Html html) {
        List<DotPlot.Row> rows =
                comparison.rows().stream()
                        .flatMap(row ->
                                row.figures().stream()
                                        .filter(figure -> figure.kind() == kind)
                                        .flatMap(figure ->
                                                Stream.of(
                                                        side(row, "A", kind, figure.a()),
                                                        side(row, "B", kind, figure.b()))))
                        .filter(row -> !Double.isNaN(row.value()))
                        .toList();
        if (!rows.isEmpty()) {
            html.element("h2", "", words(kind));
            DotPlot.fromZero(words(kind) + " of A and B", rows, html);
        }
    }

    private static DotPlot.Row side(Comparison.Row row, String run, Kind kind, double value) {
        String figure = ComparisonText.value(kind, value);
        return new DotPlot.Row(row.label() + ", " + run, value, value, value, figure, true);
    }

    private static void ratios(Kind kind, Comparison comparison, Html html) {
        List<DotPlot.Row> rows =
                comparison.rows().stream()
                        .flatMap(row ->
                                row.figures().stream()
                                        .filter(figure -> figure.kind() == kind)
                                        .filter(figure -> figure.interval() != null)
                                        .map(figure -> ratio(row, figure)))
                        .toList();
        if (!rows.isEmpty()) {
            html.element("p", "quiet", "B divided by A, with 95 % intervals:");
            DotPlot.aroundOne(words(kind) + ", B divided by A", rows, html);
        }
    }

    private static DotPlot.Row ratio(Comparison.Row row, Comparison.Figure figure) {
        var interval = Objects.requireNonNull(figure.interval());
        return new DotPlot.Row(
                row.label(),
                interval.ratio(),
                interval.low(),
                interval.high(),
                ComparisonText.result(figure),
                true);
    }

    private static String words(Kind kind) {
        String words = kind.words();
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    private static Html end(String text, Html html) {
        html.raw("</section>\n<section>\n<h2>In words</h2>\n");
        html.raw("<pre tabindex=\"0\">").text(text);
        return html.raw("</pre>\n</section>\n</main>\n</body>\n</html>\n");
    }
}
