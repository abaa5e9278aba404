package wallfinder.load;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import wallfinder.experiment.Header;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.Template;

/// The heads of requests on the wire (RFC 9112).
final class RequestHead {
    /// The length of a body whose length changes.
    static final long CHANGES = -1;

    private static final Set<String> WITH_LENGTH = Set.of("POST", "PUT", "PATCH");

    private RequestHead() {}

    static void write(
            RequestSpec request,
            RequestMix mix,
            boolean keepalive,
            long bodyLength,
            CompiledTemplate.Writer to) {
        to.text(request.method() + " ");
        to.template(encoded(Template.parse(request.path()))).text(" HTTP/1.1\r\n");
        if (!request.names("host")) {
            to.text("Host: " + mix.host() + "\r\n");
        }
        for (Header header : request.headers()) {
            to.text(header.name() + ": ").template(Template.parse(header.value())).text("\r\n");
        }
        if (!keepalive && !request.names("connection")) {
            to.text("Connection: close\r\n");
        }
        writeLength(request, bodyLength, to);
        if (mix.cookies()) {
            to.step(CompiledTemplate.COOKIES);
        }
        to.text("\r\n");
    }

    private static void writeLength(
            RequestSpec request, long bodyLength, CompiledTemplate.Writer to) {
        boolean counted = request.body() != null || WITH_LENGTH.contains(request.method());
        if (!counted || request.names("content-length")) {
            return;
        }
        to.text("Content-Length: ");
        if (bodyLength == CHANGES) {
            to.step(CompiledTemplate.BODY_LENGTH);
        } else {
            to.text(Long.toString(bodyLength));
        }
        to.text("\r\n");
    }

    /// Characters beyond ASCII become percent-encoded UTF-8 (RFC 3986, section 2.5).
    private static Template encoded(Template path) {
        List<Template.Part> parts =
                path.parts().stream()
                        .map(part ->
                                part instanceof Template.Text(String text)
                                        ? new Template.Text(encoded(text))
                                        : part)
                        .toList();
        return new Template(parts);
    }

    private static String encoded(String text) {
        StringBuilder encoded = new StringBuilder(text.length());
        HexFormat hex = HexFormat.of().withUpperCase();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b < 0) {
                encoded.append('%').append(hex.toHexDigits(b));
            } else {
                encoded.append((char) b);
            }
        }
        return encoded.toString();
    }
}
