package wallfinder.mcp;

import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import java.time.Duration;
import java.util.Map;
import reactor.core.publisher.Mono;

/// A session of the SDK, with what the SDK does not do: a cancelled request ends its call, and the
/// end of the input ends the server.
final class Conversation extends McpServerSession {
    /// Where a tool finds its [Call].
    static final String CALL = "call";

    private static final String CANCELLED = "notifications/cancelled";

    private final McpServerSession sdk;
    private final Calls calls;
    private final Runnable onEnd;

    /// @param onEnd runs when the input has ended
    Conversation(McpServerSession sdk, McpServerTransport transport, Calls calls, Runnable onEnd) {
        super(
                sdk.getId(),
                Duration.ZERO,
                transport,
                _ -> Mono.empty(),
                Map.of(),
                Map.of(),
                Mono::empty);
        this.sdk = sdk;
        this.calls = calls;
        this.onEnd = onEnd;
    }

    /// The SDK calls this on the thread that reads the input, and a tool runs on another thread. So
    /// a call exists before the message that cancels it is read.
    @Override
    public Mono<Void> handle(McpSchema.JSONRPCMessage message) {
        if (message instanceof McpSchema.JSONRPCNotification notification
                && notification.method().equals(CANCELLED)) {
            Object id =
                    notification.params() instanceof Map<?, ?> all ? all.get("requestId") : null;
            if (id != null) {
                calls.cancel(id);
            }
            return Mono.empty();
        }
        if (message instanceof McpSchema.JSONRPCRequest request
                && request.method().equals(McpSchema.METHOD_TOOLS_CALL)) {
            McpTransportContext context =
                    McpTransportContext.create(Map.of(CALL, calls.begin(request.id())));
            return sdk.handle(message)
                    .contextWrite(all -> all.put(McpTransportContext.KEY, context))
                    .doFinally(_ -> calls.end(request.id()));
        }
        return sdk.handle(message);
    }

    @Override
    public void close() {
        sdk.close();
        onEnd.run();
    }

    @Override
    public Mono<Void> closeGracefully() {
        return sdk.closeGracefully();
    }

    @Override
    public <T> Mono<T> sendRequest(String method, Object params, TypeRef<T> type) {
        return sdk.sendRequest(method, params, type);
    }

    @Override
    public Mono<Void> sendNotification(String method, Object params) {
        return sdk.sendNotification(method, params);
    }
}
