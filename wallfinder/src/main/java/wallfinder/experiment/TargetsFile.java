package wallfinder.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads lists of targets (`docs/targets.md`). A [UsageException] names the line of an error.
public final class TargetsFile {
    private static final int BYTES_MAX = 16 << 20;
    private static final int TARGETS_MAX = 100_000;
    private static final int WEIGHT_DIGITS_MAX = 6;

    /// The maximum sum of the weights of all targets.
    public static final int WEIGHTS_MAX = 1_000_000;

    /// A header has a colon instead of the space.
    private static final Pattern REQUEST =
            Pattern.compile("(?:(\\d+)[ \\t]+)?([^ \\t:]+)[ \\t]+(\\S.*)");

    private static final Pattern HEADER = Pattern.compile("([^ \\t:]+)[ \\t]*:[ \\t]*(.*)");
    private static final String EXAMPLE = "write a target as in GET /items/1";

    private final String name;
    private final Path folder;
    private final List<String> names;
    private final List<RequestSpec> requests = new ArrayList<>();
    private @Nullable WebUrl base;
    private int line;
    private @Nullable Draft draft;
    private long weights;

    /// A target whose lines are being read.
    private static final class Draft {
        final String method;
        final String path;
        final int weight;
        final int line;
        final List<Header> headers = new ArrayList<>();
        final StringBuilder text = new StringBuilder();
        @Nullable Body body;

        Draft(String method, String path, int weight, int line) {
            this.method = method;
            this.path = path;
            this.weight = weight;
            this.line = line;
        }
    }

    private TargetsFile(
            String name, Path folder, @Nullable String url, List<String> names, int linesBefore) {
        this.name = name;
        this.folder = folder;
        this.names = names;
        this.base = url == null ? null : WebUrl.split(url);
        this.line = linesBefore;
    }

    /// @param url all targets share its scheme, host and port; null for those of the first target
    public static Targets read(Path file, @Nullable String url) {
        return read(file, url, List.of());
    }

    /// @param names other names in braces, which do not change
    static Targets read(Path file, @Nullable String url, List<String> names) {
        Path parent = file.toAbsolutePath().getParent();
        Path folder = parent == null ? file : parent;
        String text =
                TextFile.read(file, BYTES_MAX, "targets", "Give the path of a list of targets");
        return new TargetsFile(file.toString(), folder, url, names, 0).targets(text);
    }

    /// Reads targets inside an experiment file.
    ///
    /// @param name of the file
    /// @param linesBefore the number of lines before the targets
    static Targets parse(
            String text,
            String name,
            Path folder,
            String url,
            List<String> names,
            int linesBefore) {
        return new TargetsFile(name, folder, url, names, linesBefore).targets(text);
    }

    private Targets targets(String text) {
        for (String read : text.split("\\R", -1)) {
            line++;
            read(read);
        }
        end();
        if (base == null || requests.isEmpty()) {
            throw new UsageException(name + " contains no target", "it is empty", EXAMPLE);
        }
        return new Targets(base.base() + base.path(), requests);
    }

    private void read(String read) {
        String text = read.strip();
        if (text.isEmpty()) {
            end();
        } else if (text.startsWith("@")) {
            bodyFile(text.substring(1));
        } else if (text.startsWith(">")) {
            bodyText(text.substring(1));
        } else if (!text.startsWith("#")) {
            requestOrHeader(text);
        }
    }

    private void requestOrHeader(String text) {
        Matcher request = REQUEST.matcher(text);
        Matcher header = HEADER.matcher(text);
        if (request.matches()) {
            end();
            begin(request.group(1), request.group(2), request.group(3));
        } else if (!header.matches()) {
            throw wrong("this is neither a target nor a header", EXAMPLE);
        } else {
            Draft open = opened();
            if (open.body != null || !open.text.isEmpty()) {
                throw wrong("a header comes after the body", "put the headers before the body");
            }
            open.headers.add(checked(() -> new Header(header.group(1), header.group(2))));
        }
    }

    private void begin(@Nullable String weight, String method, String where) {
        if (requests.size() == TARGETS_MAX) {
            throw wrong("there are more than " + TARGETS_MAX + " targets", "leave some out");
        }
        draft = new Draft(method, path(method, where), weight(weight), line);
    }

    private int weight(@Nullable String digits) {
        int weight =
                digits == null
                        ? 1
                        : digits.length() > WEIGHT_DIGITS_MAX ? 0 : Integer.parseInt(digits);
        weights += weight;
        if (weight == 0 || weights > WEIGHTS_MAX) {
            throw wrong(
                    "a weight is at least 1, and all together are at most " + WEIGHTS_MAX,
                    "give another weight");
        }
        return weight;
    }

    private String path(String method, String where) {
        String path = where;
        if (WebUrl.isWhole(where)) {
            WebUrl url = WebUrl.split(where);
            if (base == null) {
                base = url;
            } else if (!base.sameHost(url)) {
                throw wrong(
                        "it names another host, "
                                + url.base()
                                + " instead of "
                                + base.base()
                                + ": all targets of a load share scheme, host and port",
                        "drive the other host in another run");
            }
            path = url.path();
        } else if (!where.startsWith("/") && !(where.equals("*") && method.equals("OPTIONS"))) {
            throw wrong("\"" + where + "\" is neither a path nor a URL", EXAMPLE);
        } else if (base == null) {
            throw wrong(
                    "no host is known",
                    "give a URL on the command line, or a full URL in the first target");
        }
        String problem = WebUrl.problem(path);
        if (problem != null) {
            throw wrong("the path cannot be used: " + problem, "write %20 for a space");
        }
        return path;
    }

    private void bodyFile(String path) {
        Draft open = opened();
        if (open.body != null || !open.text.isEmpty()) {
            throw wrong("the target has two bodies", "keep one of the two");
        }
        open.body = checked(() -> Body.file(folder.resolve(path.strip())));
    }

    private void bodyText(String text) {
        Draft open = opened();
        if (open.body != null) {
            throw wrong("the target has two bodies", "keep one of the two");
        }
        open.text.append(open.text.isEmpty() ? "" : "\n");
        open.text.append(text.startsWith(" ") ? text.substring(1) : text);
    }

    private Draft opened() {
        if (draft == null) {
            throw wrong("this belongs to no target", EXAMPLE);
        }
        return draft;
    }

    private void end() {
        Draft ended = draft;
        draft = null;
        if (ended == null) {
            return;
        }
        Body body = ended.text.isEmpty() ? ended.body : new Body.Text(ended.text.toString());
        int after = line;
        line = ended.line;
        requests.add(
                checked(() ->
                        new RequestSpec(ended.method, ended.path, ended.headers, body, ended.weight)
                                .checked(names)));
        line = after;
    }

    private <T> T checked(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (UsageException e) {
            throw e.within(where());
        }
    }

    private UsageException wrong(String why, String todo) {
        return new UsageException(where(), why, todo);
    }

    private String where() {
        return name + ", line " + line;
    }
}
