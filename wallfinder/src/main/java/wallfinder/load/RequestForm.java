package wallfinder.load;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Body;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.Template;
import wallfinder.linux.MappedFile;
import wallfinder.linux.Memory;

/// One kind of request, prepared for all threads.
///
/// A small body follows its head in one send. A larger body exists once for all connections and is
/// sent separately, piece by piece.
final class RequestForm {
    /// The largest constant request that is sent as head and body together. It fits into the empty
    /// buffers of a socket.
    static final int TOGETHER_BYTES_MAX = 16 * 1024;

    /// The largest body that is copied behind a head that changes.
    static final int COPIED_BYTES_MAX = 4 * 1024;

    final boolean head;

    /// Whether the body waits until the server asks for it.
    final boolean expects;

    final boolean counts;

    final boolean plain;

    /// The head, or the whole request.
    final CompiledTemplate start;

    /// A body that changes, otherwise null.
    final @Nullable CompiledTemplate body;

    /// The address of a constant body that is sent separately.
    final long bodyAddress;

    final long bodyLength;

    RequestForm(RequestSpec request, RequestMix mix, boolean keepalive, Arena arena) {
        Content content = content(request.body(), arena);
        head = request.method().equals("HEAD");
        expects = expects(request) && content.length != 0;
        body = content.script;
        CompiledTemplate.Writer writer = new CompiledTemplate.Writer(arena);
        RequestHead.write(request, mix, keepalive, content.length, writer);
        boolean together = body == null && !expects && content.length > 0;
        if (together && content.length <= COPIED_BYTES_MAX) {
            start = writer.bytes(content.bytes()).end();
        } else {
            CompiledTemplate alone = writer.end();
            together &= alone.isPlain() && alone.bytesMax + content.length <= TOGETHER_BYTES_MAX;
            start = together ? both(alone, content, arena) : alone;
        }
        plain = body == null && start.isPlain();
        counts = start.counts() || (body != null && body.counts());
        bodyAddress = together ? 0 : content.address;
        bodyLength = together || body != null ? 0 : content.length;
    }

    private static CompiledTemplate both(CompiledTemplate alone, Content content, Arena arena) {
        byte[] bytes = Memory.getBytes(alone.firsts[0], alone.plainBytes);
        return new CompiledTemplate.Writer(arena).bytes(bytes).bytes(content.bytes()).end();
    }

    private static boolean expects(RequestSpec request) {
        return request.headers().stream()
                .anyMatch(h -> h.is("Expect") && h.value().equalsIgnoreCase("100-continue"));
    }

    /// A body from any source.
    ///
    /// @param length [RequestHead#CHANGES] if it changes
    /// @param script null if it does not change
    private record Content(long address, long length, @Nullable CompiledTemplate script) {
        static final Content NONE = new Content(0, 0, null);

        byte[] bytes() {
            return Memory.getBytes(address, (int) length);
        }
    }

    private static Content content(@Nullable Body body, Arena arena) {
        return switch (body) {
            case null -> Content.NONE;
            case Body.File(var path) -> {
                MappedFile file = MappedFile.read(path, arena);
                yield new Content(file.address(), file.length(), null);
            }
            case Body.Text(String text) -> {
                CompiledTemplate script =
                        new CompiledTemplate.Writer(arena).template(Template.parse(text)).end();
                if (!script.isPlain()) {
                    yield new Content(0, RequestHead.CHANGES, script);
                }
                boolean empty = script.kinds.length == 0;
                yield empty ? Content.NONE : new Content(script.firsts[0], script.plainBytes, null);
            }
        };
    }

    /// Whether the request is one send.
    boolean isWhole() {
        return bodyLength == 0 && !expects;
    }

    /// The memory that a slot needs for this request.
    int bytesMax() {
        return start.bytesMax + (body == null ? 0 : body.bytesMax);
    }

    int variables() {
        return start.variables + (body == null ? 0 : body.variables);
    }
}
