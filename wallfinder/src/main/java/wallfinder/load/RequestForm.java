package wallfinder.load;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Body;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.Template;
import wallfinder.linux.MappedFile;
import wallfinder.linux.Memory;

/// One kind of request, ready to be sent by all threads.
///
/// A small body stands right behind its head and goes out with it. A larger one is apart: it is
/// there once for all connections, and is sent piece by piece.
final class RequestForm {
    /// Head and body together, where nothing changes. Up to this size a request fits into the
    /// buffers of a socket that has nothing else to send.
    static final int TOGETHER_BYTES_MAX = 16 * 1024;

    /// A body that is copied behind a head that changes.
    static final int COPIED_BYTES_MAX = 4 * 1024;

    /// The answer has no body.
    final boolean head;

    /// The body is sent when the server has asked for it.
    final boolean expects;

    final boolean counts;

    /// Nothing in it changes.
    final boolean plain;

    /// The head, or all of it.
    final CompiledTemplate start;

    /// A body that changes; null: there is none, or none that changes.
    final @Nullable CompiledTemplate body;

    /// Where the body is, if that is apart and does not change.
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

    /// A body, wherever it came from.
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

    /// It is sent in one go.
    boolean isWhole() {
        return bodyLength == 0 && !expects;
    }

    /// The most that a slot needs to have it written.
    int bytesMax() {
        return start.bytesMax + (body == null ? 0 : body.bytesMax);
    }

    int variables() {
        return start.variables + (body == null ? 0 : body.variables);
    }
}
