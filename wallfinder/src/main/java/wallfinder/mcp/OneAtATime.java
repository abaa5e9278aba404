package wallfinder.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerTransport;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import reactor.core.publisher.Mono;

/// Sends one message at a time. The SDK's transport loses a message if two threads send at the same
/// moment, and each call has a thread of its own.
final class OneAtATime implements McpServerTransport {
    private final McpServerTransport transport;
    private final ReentrantLock sending = new ReentrantLock();

    OneAtATime(McpServerTransport transport) {
        this.transport = transport;
    }

    @Override
    public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            sending.lock();
            try {
                transport.sendMessage(message).block();
            } finally {
                sending.unlock();
            }
        });
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully();
    }

    @Override
    public void close() {
        transport.close();
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return transport.unmarshalFrom(data, type);
    }

    @Override
    public List<String> protocolVersions() {
        return transport.protocolVersions();
    }
}
