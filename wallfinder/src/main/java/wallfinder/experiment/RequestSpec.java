package wallfinder.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One kind of request of a load.
///
/// @param path with the query; may contain variables such as `{counter}`, see [Template]
/// @param weight how often it is sent, compared with the others
public record RequestSpec(
        String method, String path, List<Header> headers, @Nullable Body body, int weight) {
    public RequestSpec {
        if (!Token.is(method)) {
            throw new UsageException(
                    "the method \"" + method + "\" cannot be used",
                    "it is not a token of HTTP (RFC 9110, section 5.6.2)",
                    "use one such as GET or POST");
        }
        headers = List.copyOf(headers);
    }

    public boolean names(String header) {
        return headers.stream().anyMatch(own -> own.is(header));
    }

    /// The same with common headers, unless it has a header of that name.
    public RequestSpec withHeaders(List<Header> common) {
        List<Header> all = new ArrayList<>();
        common.stream().filter(header -> !names(header.name())).forEach(all::add);
        all.addAll(headers);
        return new RequestSpec(method, path, all, body, weight);
    }

    public RequestSpec weighing(int other) {
        return new RequestSpec(method, path, headers, body, other);
    }

    RequestSpec map(UnaryOperator<String> change) {
        return new RequestSpec(
                method,
                change.apply(path),
                headers.stream().map(h -> new Header(h.name(), change.apply(h.value()))).toList(),
                body instanceof Body.Text(String text) ? new Body.Text(change.apply(text)) : body,
                weight);
    }

    /// @param names other known names
    /// @throws UsageException for an unknown variable
    RequestSpec checked(List<String> names) {
        map(text -> {
            Template.parse(text, names);
            return text;
        });
        return this;
    }
}
