package wallfinder.load;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import wallfinder.linux.Memory;

/// One request as it goes over the wire, in native memory, shared by all exchanges of a thread.
final class RequestBytes implements AutoCloseable {
    private static final Set<String> WITH_LENGTH = Set.of("POST", "PUT", "PATCH");

    private final int length;
    private final long address;

    RequestBytes(LoadPlan plan) {
        byte[] bytes = render(plan);
        length = bytes.length;
        address = Memory.map(length);
        Memory.putBytes(address, bytes);
    }

    static byte[] render(LoadPlan plan) {
        StringBuilder head = new StringBuilder(256);
        head.append(plan.method()).append(' ').append(plan.pathAndQuery()).append(" HTTP/1.1\r\n");
        if (!names(plan, "host")) {
            head.append("Host: ").append(plan.hostHeader()).append("\r\n");
        }
        plan.headers().forEach((k, v) -> head.append(k).append(": ").append(v).append("\r\n"));
        if (!plan.keepalive() && !names(plan, "connection")) {
            head.append("Connection: close\r\n");
        }
        boolean counted = plan.body().length > 0 || WITH_LENGTH.contains(plan.method());
        if (counted && !names(plan, "content-length")) {
            head.append("Content-Length: ").append(plan.body().length).append("\r\n");
        }
        head.append("\r\n");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(plan.body());
        return all.toByteArray();
    }

    private static boolean names(LoadPlan plan, String header) {
        return plan.headers().keySet().stream()
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).equals(header));
    }

    long address() {
        return address;
    }

    int length() {
        return length;
    }

    @Override
    public void close() {
        Memory.unmap(address, length);
    }
}
