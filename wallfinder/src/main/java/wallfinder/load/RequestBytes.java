package wallfinder.load;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/// Requests as they go over the wire (RFC 9112).
final class RequestBytes {
    private static final Set<String> WITH_LENGTH = Set.of("POST", "PUT", "PATCH");

    private RequestBytes() {}

    static byte[] render(Request request, boolean keepalive) {
        StringBuilder head = new StringBuilder(256);
        head.append(request.method()).append(' ').append(request.pathAndQuery());
        head.append(" HTTP/1.1\r\n");
        if (!names(request, "host")) {
            head.append("Host: ").append(request.host()).append("\r\n");
        }
        request.headers().forEach((k, v) -> head.append(k).append(": ").append(v).append("\r\n"));
        if (!keepalive && !names(request, "connection")) {
            head.append("Connection: close\r\n");
        }
        boolean counted = request.body().length > 0 || WITH_LENGTH.contains(request.method());
        if (counted && !names(request, "content-length")) {
            head.append("Content-Length: ").append(request.body().length).append("\r\n");
        }
        head.append("\r\n");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(request.body());
        return all.toByteArray();
    }

    private static boolean names(Request request, String header) {
        return request.headers().keySet().stream()
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).equals(header));
    }
}
