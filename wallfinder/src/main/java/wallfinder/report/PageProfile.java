package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.FlameGraph;
import wallfinder.diagnosis.ProfileChange;
import wallfinder.record.RunRecord;

/// What the CPUs do for a service, on the page: two tables and a flame graph for each profile.
final class PageProfile {
    private PageProfile() {}

    /// @param title which rung it belongs to; empty for the profile of a trial
    private record Titled(String title, RunRecord.Profile profile) {}

    private static List<Titled> all(RunRecord run) {
        List<Titled> all = new ArrayList<>();
        for (int i = 0; i < run.ladder().size(); i++) {
            add("Rung " + (i + 1) + ". ", run.ladder().get(i).profile(), all);
        }
        run.trials().forEach(trial -> add("", trial.profile(), all));
        return all;
    }

    private static void add(String title, RunRecord.@Nullable Profile profile, List<Titled> all) {
        if (profile != null) {
            all.add(new Titled(title, profile));
        }
    }

    static void write(RunRecord run, Html html) {
        List<Titled> profiles = all(run);
        if (profiles.isEmpty()) {
            return;
        }
        html.raw("<section id=\"profile\">\n<h2>What the CPUs do</h2>\n");
        int graph = 0;
        for (Titled titled : profiles) {
            write(titled, graph, html);
            graph += titled.profile().change() == null ? 1 : 2;
        }
        html.raw("</section>\n");
    }

    private static void write(Titled titled, int graph, Html html) {
        ProfileRows rows = new ProfileRows(titled.profile());
        html.element("p", "", titled.title() + rows.headline());
        table(rows.parts(), 2, html);
        if (!titled.profile().cpu().methods().isEmpty()) {
            html.raw("<details><summary>The hottest methods</summary>\n");
            table(rows.methods(), 1, html);
            html.raw("</details>\n");
        }
        if (!rows.allocators().isEmpty()) {
            html.element("p", "", rows.allocation());
            html.raw("<details><summary>Who allocates</summary>\n");
            table(rows.allocators(), 1, html);
            html.raw("</details>\n");
        }
        html.element("p", "quiet", rows.source() + " " + rows.bounds());
        graph(graph, html);
        ProfileChange change = titled.profile().change();
        if (change != null) {
            ChangeRows changed = new ChangeRows(change);
            html.element("p", "", changed.headline());
            table(changed.rows(), 1, html);
            html.element("p", "quiet", changed.source());
            graph(graph + 1, html);
        }
    }

    private static void graph(int number, Html html) {
        html.raw("<figure data-flame=\"" + number + "\">\n<p class=\"controls\">");
        html.raw(
                "<label>Search the flame graph <input type=\"search\"></label> <output></output> ");
        html.raw("<button type=\"button\" hidden>Show all</button></p>\n");
        html.raw("<div class=\"boxes\" role=\"img\" aria-label=\"Flame graph: each call below ");
        html.raw("its caller, as wide as its share of the CPU time\"></div>\n</figure>\n");
    }

    private static void table(List<List<String>> rows, int words, Html html) {
        html.raw("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>");
        List<String> head = rows.getFirst();
        for (int i = 0; i < head.size(); i++) {
            html.raw("<th scope=\"col\"" + (i < words ? ">" : " class=\"n\">"));
            html.text(head.get(i)).raw("</th>");
        }
        html.raw("</tr></thead>\n<tbody>\n");
        for (List<String> row : rows.subList(1, rows.size())) {
            html.raw("<tr>");
            for (int i = 0; i < row.size(); i++) {
                html.element("td", i < words ? "" : "n", row.get(i));
            }
            html.raw("</tr>\n");
        }
        html.raw("</tbody></table></div>\n");
    }

    /// For the script: each flame graph. One of a change also has the methods that differ.
    static List<Map<String, Object>> flames(RunRecord run) {
        List<Map<String, Object>> graphs = new ArrayList<>();
        for (Titled titled : all(run)) {
            graphs.add(Map.of("boxes", boxes(titled.profile().cpu().flames())));
            ProfileChange change = titled.profile().change();
            if (change != null) {
                graphs.add(
                        Map.of(
                                "boxes",
                                boxes(change.flames()),
                                "changed",
                                changed(change.different())));
            }
        }
        return graphs;
    }

    /// As depth, name and share.
    private static List<List<Object>> boxes(FlameGraph graph) {
        List<List<Object>> boxes = new ArrayList<>();
        for (FlameGraph.Box box : graph.boxes()) {
            boxes.add(List.of(box.depth(), box.name(), box.share()));
        }
        return boxes;
    }

    /// The microseconds of an answer, before and after, by the name of the method.
    private static Map<String, List<Double>> changed(List<ProfileChange.Method> methods) {
        Map<String, List<Double>> changed = new TreeMap<>();
        for (ProfileChange.Method method : methods) {
            changed.put(method.name(), List.of(method.self().before(), method.self().after()));
        }
        return changed;
    }
}
