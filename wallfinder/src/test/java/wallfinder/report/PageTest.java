package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleHeld;
import wallfinder.record.SampleProfile;
import wallfinder.record.SampleRun;

final class PageTest {
    private static final int PAGE_BYTES_MAX = 2_000_000;

    @TempDir Path folder;

    @Test
    void the_page_shows_the_ladder_with_its_evidence_and_intervals() {
        assertThat(Page.html(SampleRun.fullLadder()))
                .contains("<td class=\"wall\">accept-queue</td>")
                .contains("a handshake was dropped 280 times")
                .contains("4.10 times, 2.50-4.80")
                .contains("5 pairs")
                .contains("no effect, 0.99-1.02")
                .contains("Ended: the CPU limits the service");
    }

    @Test
    void a_rung_shows_where_the_time_of_an_answer_goes() {
        assertThat(Page.html(SampleRun.fullLadder()))
                .contains("Where the time of an answer goes")
                .contains("<th scope=\"col\" class=\"n\">at this load")
                .contains("<th scope=\"row\">in all</th>")
                .contains("<text x=\"82\" y=\"39\" text-anchor=\"end\">at this load</text>")
                .contains("<rect class=\"part-unexplained\" ")
                .contains("<span class=\"swatch part-unexplained\"></span> unexplained</th>");
    }

    @Test
    void the_figures_of_the_climbs_are_a_table_that_can_be_copied() {
        assertThat(Page.html(SampleRun.fullLadder()).replaceAll("\\s+", " "))
                .contains("<th class=\"n\">connections</th> <th class=\"n\">answers/s</th>")
                .containsPattern(
                        "<td class=\"n\">256</td> <td class=\"n\">256.0</td>.{1,400}"
                                + "<td>accept-queue</td>");
    }

    @Test
    void a_remedy_shows_each_pair_as_two_dots_joined_by_a_line() {
        String html = Page.html(SampleRun.fullLadder());
        assertThat(html)
                .contains(
                        "Without: 98, 101, 100, 99, 102. With: 412, 409, 410, 400, 420.",
                        "text-anchor=\"end\">100/s</text>",
                        "text-anchor=\"start\">410/s</text>");
        assertThat(html.split("<line class=\"pair\"", -1)).as("three times five").hasSize(16);
    }

    /// The fast answers and those that waited for a repeated handshake.
    @Test
    void the_heat_map_shows_groups_of_answers_as_bands() {
        String html = Page.html(SampleRun.fullLadder());
        String heat = html.split("<section id=\"heat\">")[1].split("</section>")[0];
        assertThat(heat).contains(">1,024</text>", ">1,000 ms</text>", ">100 ms</text>");
        assertThat(heat.split("class=\"heat-5\"", -1)).hasSizeGreaterThan(6);
        assertThat(Page.html(SampleRun.zeroRequests())).doesNotContain("id=\"heat\"");
    }

    @Test
    void held_connections_are_a_line_over_time_with_their_fates() {
        assertThat(Page.html(SampleHeld.run()))
                .contains("held: 90 alive, 10 closed.")
                .contains("Open connections over time; 100 were wanted")
                .contains("<polyline class=\"rate\" points=\"90,150 ");
    }

    @Test
    void a_rung_at_the_cpu_shows_what_the_cpu_does() {
        assertThat(Page.html(SampleProfile.atCpu()))
                .contains("Rung 1. An answer takes 1,000 us of CPU:")
                .contains("<td>org.example</td>\n<td>application</td>\n<td class=\"n\">700</td>")
                .contains("<td>gc</td>\n<td class=\"n\">200</td>")
                .contains("org.example.Parser.parse")
                .contains("0.99 times as many answers, 0.98-1.01");
        assertThat(Page.html(SampleRun.fullLadder())).doesNotContain("What the CPUs do");
    }

    @Test
    void a_proven_remedy_shows_which_methods_it_changed() {
        assertThat(Page.html(SampleProfile.changed()))
                .contains("With the remedy, an answer takes 600 us of CPU instead of 1,000:")
                .contains("<td>org.example.Parser.parse()</td>")
                .contains("<td class=\"n\">less</td>")
                .contains("over 4 pairs of fresh processes")
                .contains("data-flame=\"1\"");
        assertThat(Page.html(SampleProfile.atCpu())).doesNotContain("With the remedy");
    }

    @Test
    @Tag("browser")
    void a_browser_colours_only_the_methods_that_differ() throws Exception {
        String dom = inBrowser(SampleProfile.changed());
        assertThat(dom).contains("data-errors=\"0\"");
        assertThat(dom).containsPattern("<div class=\"box less\"[^>]*Parser.parse: [^>]* took 5");
        assertThat(dom).containsPattern("<div class=\"box same\"[^>]*garbage collection: ");
        assertThat(dom).doesNotContainPattern("<div class=\"box (more|less)\"[^>]*garbage");
    }

    @Test
    void the_page_shows_each_doubt_once() {
        String html = Page.html(SampleRun.emptyLadder());
        assertThat(html).contains("<h2>Doubts</h2>").contains("other programs used 12 %");
        assertThat(Page.html(SampleRun.fullLadder())).contains("(and in 14 more trials)");
    }

    @Test
    void a_run_without_a_ladder_shows_its_evidence_at_once() {
        RunRecord run = SampleRun.run(List.of(SampleRun.queueFull("load")), List.of(), "");
        String top = Page.html(run).split("<h2>Over time</h2>")[0];
        assertThat(top)
                .contains("a handshake was dropped 280 times")
                .contains("256.0 answers/s")
                .contains("not verified");
    }

    /// 200 answers came in each second, and one in the last millisecond.
    @Test
    void a_sliver_of_time_at_the_end_makes_no_rate() {
        RunRecord run = SampleRun.endingWithSliver();
        assertThat(Page.html(run)).contains("200.8]").doesNotContain("1000]");
    }

    @Test
    void the_page_requests_nothing_from_outside() {
        String html = Page.html(SampleRun.fullLadder());
        assertThat(html).contains("default-src 'none'").doesNotContain("sourceMappingURL");
        assertThat(html).doesNotContainPattern("<(script|img|link|iframe)[^>]* (src|href)=");
    }

    @Test
    void names_cannot_become_markup_or_script() {
        String html = Page.html(SampleRun.hostileNames());
        assertThat(html).doesNotContain("<script>window.bad");
        assertThat(html).contains("&lt;script&gt;window.bad").contains("\\u003cscript>window.bad");
    }

    @Test
    void a_page_of_many_trials_stays_small() {
        String html = Page.html(SampleRun.many(300, 600));
        assertThat(html.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(PAGE_BYTES_MAX);
        assertThat(html).contains("100 more are in run.json");
    }

    @Test
    @Tag("browser")
    void a_browser_draws_the_chart_without_an_error() throws Exception {
        String dom = inBrowser(SampleRun.fullLadder());
        assertThat(dom).contains("data-errors=\"0\"");
        // Five trials of 50 intervals, with a rate, a latency and a counter, less the gaps.
        assertThat(drawn(dom)).isBetween(500, 800);
        assertThat(dom).contains("server:TcpExt.ListenOverflows</option>");
    }

    /// Batches of which most answers take 17 ms, and 56 take a second.
    @Test
    @Tag("browser")
    void a_browser_draws_the_response_times_as_a_heat_map() throws Exception {
        RunRecord run = SampleRun.many(1, 50);
        String dom = inBrowser(run);
        assertThat(dom).contains("data-errors=\"0\"").contains("The darker a cell");
        Matcher cells = Pattern.compile("data-cells=\"(\\d+)\"").matcher(dom);
        assertThat(cells.find()).isTrue();
        String columns =
                new PageData(run).of().get("trials").toString().replaceAll(".*cells=\\[|\\].*", "");
        long expected = columns.chars().filter(digit -> digit >= '1' && digit <= '5').count();
        assertThat(expected).isGreaterThan(10);
        assertThat(Long.parseLong(cells.group(1))).isEqualTo(expected);
        assertThat(inBrowser(SampleRun.emptyLadder())).doesNotContain("The darker a cell");
    }

    /// Three loads up to the full queue, and two up to the CPU.
    @Test
    @Tag("browser")
    void a_browser_draws_what_the_service_gave_at_each_load() throws Exception {
        String dom = inBrowser(SampleRun.fullLadder());
        assertThat(dom).contains("data-errors=\"0\"").contains("As the load grew");
        Matcher drawn =
                Pattern.compile("id=\"climb-chart\"[^>]* data-drawn=\"([^\"]*)\"").matcher(dom);
        assertThat(drawn.find()).isTrue();
        assertThat(drawn.group(1))
                .as("answers a second of both climbs")
                .contains("[64,4000],[128,8000],[256,256]")
                .contains("[512,32000],[1024,4096]");
        assertThat(Page.html(SampleRun.emptyLadder())).doesNotContain("As the load grew");
    }

    @Test
    @Tag("browser")
    void a_browser_draws_a_capacity_over_the_rates_that_were_asked_for() throws Exception {
        String dom = inBrowser(SampleCapacity.run());
        assertThat(dom)
                .contains("data-errors=\"0\"")
                .contains("401.5/s with p99 &lt; 50ms")
                .contains("The broad line is the capacity")
                .contains("[[380,380],[384,384],[420,420],[425,425],[800,800]]");
    }

    @Test
    @Tag("browser")
    void a_browser_draws_a_curve_of_rates_for_each_capacity_of_a_ladder() throws Exception {
        String dom = inBrowser(SampleCapacity.ladder());
        assertThat(dom)
                .contains("data-errors=\"0\"")
                .contains("803.0/s with p99 &lt; 50ms")
                .contains("Proof: at 567.8/s, in pairs")
                .containsPattern(
                        "data-drawn=\"\\[(\\[\\[380,380],\\[384,384],\\[420,420],\\[425,425],\\[800,800]],.*){2}");
    }

    @Test
    @Tag("browser")
    void a_browser_opens_the_pages_of_runs_with_little_in_them() throws Exception {
        assertThat(inBrowser(SampleRun.nothingMeasured())).contains("data-errors=\"0\"");
        assertThat(inBrowser(SampleRun.zeroRequests())).contains("Nothing was sampled");
        String hostile = inBrowser(SampleRun.hostileNames());
        assertThat(hostile).contains("data-errors=\"0\"");
        assertThat(drawn(hostile)).isPositive();
    }

    /// The collector, the threads, and three calls. The handler calls the other two.
    @Test
    @Tag("browser")
    void a_browser_draws_each_call_below_its_caller() throws Exception {
        String dom = inBrowser(SampleProfile.atCpu());
        assertThat(dom).contains("data-errors=\"0\"");
        List<String> boxes =
                Pattern.compile("<div class=\"box\"[^>]*>")
                        .matcher(dom)
                        .results()
                        .map(box -> box.group())
                        .toList();
        assertThat(boxes).hasSize(5);
        assertThat(style(boxes, "garbage collection")).contains("width: 20%").contains("top: 0px");
        assertThat(style(boxes, "Handler.handle")).contains("width: 80%").contains("top: 18px");
        assertThat(style(boxes, "Parser.parse")).contains("top: 36px");
        assertThat(number(boxes, "Parser.parse", "left"))
                .isEqualTo(number(boxes, "Handler.handle", "left"));
        assertThat(number(boxes, "Writer.write", "left"))
                .isCloseTo(
                        number(boxes, "Parser.parse", "left")
                                + number(boxes, "Parser.parse", "width"),
                        within(0.01));
    }

    private static String style(List<String> boxes, String name) {
        return boxes.stream().filter(box -> box.contains(name + ": ")).findFirst().orElseThrow();
    }

    private static double number(List<String> boxes, String name, String property) {
        Matcher found = Pattern.compile(property + ": ([0-9.]+)%").matcher(style(boxes, name));
        assertThat(found.find()).isTrue();
        return Double.parseDouble(found.group(1));
    }

    private static int drawn(String dom) {
        Matcher drawn = Pattern.compile("<canvas[^>]* data-drawn=\"(\\d+)\"").matcher(dom);
        assertThat(drawn.find()).as("a drawn chart in %s", dom.length()).isTrue();
        return Integer.parseInt(drawn.group(1));
    }

    private String inBrowser(RunRecord run) throws IOException, InterruptedException {
        return inBrowser(Page.html(run));
    }

    private String inBrowser(String html) throws IOException, InterruptedException {
        Path page = Files.writeString(folder.resolve("report.html"), html);
        return Browser.dom(page.toUri(), folder);
    }
}
