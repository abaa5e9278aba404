package wallfinder.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.Body;
import wallfinder.experiment.Header;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.Targets;
import wallfinder.experiment.TargetsFile;
import wallfinder.experiment.Template;
import wallfinder.experiment.UsageException;
import wallfinder.experiment.WebUrl;

/// The requests to a URL. Options that curl or wrk have, too, have their names.
final class RequestOptions {
    @Option(
            names = {"-H", "--header"},
            paramLabel = "'NAME: VALUE'",
            description = "A header to send; may be given several times.")
    List<String> headers = new ArrayList<>();

    @Option(
            names = {"-m", "--method"},
            paramLabel = "METHOD",
            description = "The request's method (default: GET).")
    @Nullable String method;

    @Option(
            names = {"-b", "--body"},
            paramLabel = "TEXT|@FILE",
            description = "The request's body, or the file with the body.")
    @Nullable String body;

    @Option(
            names = "--targets",
            paramLabel = "FILE",
            description =
                    "A file of several requests with weights (docs/targets.md). The URL then has"
                            + " only the server, and may be left out if the first request has a"
                            + " whole URL.")
    @Nullable Path targets;

    @Option(names = "--cookies", description = "Each connection keeps its cookies.")
    boolean cookies;

    @Option(
            names = {"-s", "--script"},
            hidden = true,
            description = "wrk's; refused.")
    @Nullable String script;

    /// @param url empty if none was given
    Targets requests(String url) {
        if (script != null) {
            throw new UsageException(
                    "-s " + script + " cannot be used",
                    "Wallfinder does not run the Lua scripts of wrk",
                    "use -m, -H and -b for one request, or --targets FILE for several in turn"
                            + " (docs/targets.md)");
        }
        List<Header> common = headers();
        if (targets == null) {
            return new Targets(url, List.of(one(url, common)));
        }
        if (method != null || body != null) {
            throw new UsageException(
                    (method != null ? "-m" : "-b") + " and --targets cannot be used together",
                    "each target has its own method and body",
                    "leave one of them out");
        }
        Targets read = TargetsFile.read(targets, url.isEmpty() ? null : url);
        return new Targets(
                read.url(), read.requests().stream().map(r -> r.withHeaders(common)).toList());
    }

    private RequestSpec one(String url, List<Header> common) {
        if (url.isEmpty()) {
            throw new UsageException(
                    "There is nothing to drive",
                    "no URL and no --targets were given",
                    "Give a URL such as http://127.0.0.1:8080/, or look at load --help");
        }
        String path = WebUrl.split(url).path();
        Template.parse(path);
        return new RequestSpec(method == null ? "GET" : method, path, common, body(), 1);
    }

    private @Nullable Body body() {
        if (body == null) {
            return null;
        }
        if (body.startsWith("@")) {
            return Body.file(Path.of(body.substring(1)));
        }
        Template.parse(body);
        return new Body.Text(body);
    }

    private List<Header> headers() {
        List<Header> all = new ArrayList<>();
        for (String header : headers) {
            int colon = header.indexOf(':');
            if (colon < 1) {
                throw new UsageException(
                        "the header \"" + header + "\" cannot be used",
                        "it has no name before a colon",
                        "write it as in -H 'Accept: application/json'");
            }
            String value = header.substring(colon + 1).strip();
            Template.parse(value);
            all.add(new Header(header.substring(0, colon).strip(), value));
        }
        return all;
    }
}
