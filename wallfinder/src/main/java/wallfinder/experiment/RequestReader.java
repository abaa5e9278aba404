package wallfinder.experiment;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;

/// Reads the requests of a `load`.
final class RequestReader {
    private static final String HEADERS = "{ Accept: text/plain }";

    private RequestReader() {}

    /// @param keys those of the load
    /// @param names the known placeholders
    static List<RequestSpec> read(
            Map<String, YamlEntry> keys, String url, Collection<String> names) {
        List<String> known = List.copyOf(names);
        List<Header> headers = headers(keys.get("headers"), known);
        YamlEntry targets = keys.get("targets");
        if (targets == null) {
            return List.of(one(keys, url, headers, known));
        }
        for (String alone : List.of("method", "body")) {
            YamlEntry entry = keys.get(alone);
            if (entry != null) {
                throw entry.error(
                        "each target has its own " + alone, "Leave this out, or the targets");
            }
        }
        return targets(targets, url, known).stream()
                .map(request -> request.withHeaders(headers))
                .toList();
    }

    private static RequestSpec one(
            Map<String, YamlEntry> keys, String url, List<Header> headers, List<String> names) {
        YamlEntry method = keys.get("method");
        YamlEntry body = keys.get("body");
        YamlEntry place = keys.get("url");
        RequestSpec request =
                new RequestSpec(
                        method == null
                                ? "GET"
                                : method.matching(
                                        "[!#$%&'*+.^_`|~0-9A-Za-z-]+", "an HTTP method", "GET"),
                        WebUrl.split(url).path(),
                        headers,
                        body == null ? null : body(body, names),
                        1);
        return place == null ? request : place.checked(() -> request.checked(names));
    }

    /// A value of several lines is the list itself. A single line is the name of its file.
    private static List<RequestSpec> targets(YamlEntry entry, String url, List<String> names) {
        String text = entry.text("targets.txt");
        if (!text.contains("\n")) {
            return TargetsFile.read(beside(entry).resolve(text), url, names).requests();
        }
        int line = entry.node().getStartMark().map(Mark::getLine).orElse(0) + 1;
        return TargetsFile.parse(text, entry.file(), beside(entry), url, names, line).requests();
    }

    /// The folder of the experiment file. Relative paths start there.
    private static Path beside(YamlEntry entry) {
        Path parent = Path.of(entry.file()).toAbsolutePath().getParent();
        return parent == null ? Path.of("") : parent;
    }

    private static Body body(YamlEntry entry, List<String> names) {
        if (!(entry.node() instanceof MappingNode)) {
            String text = entry.text("text, or { file: PATH }");
            entry.checked(() -> Template.parse(text, names));
            return new Body.Text(text);
        }
        Map<String, YamlEntry> keys = entry.section(List.of("file"));
        YamlEntry file = YamlEntry.required(keys, entry, "file", "PATH");
        return file.as("PATH", path -> Body.file(beside(entry).resolve(path)));
    }

    private static List<Header> headers(@Nullable YamlEntry entry, List<String> names) {
        if (entry == null) {
            return List.of();
        }
        return YamlEntry.texts(entry, HEADERS).entrySet().stream()
                .map(text ->
                        entry.checked(() -> {
                            Template.parse(text.getValue(), names);
                            return new Header(text.getKey(), text.getValue());
                        }))
                .toList();
    }
}
