package wallfinder.services.webflux;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/// The event loops of the requested transport. reactor-netty would choose one itself, and does not
/// know the io_uring transport of Netty 4.2.
final class EventLoops implements LoopResources {
    private final Transport transport;
    private final EventLoopGroup loops;

    EventLoops(Transport transport, int count) {
        this.transport = transport;
        loops =
                new MultiThreadIoEventLoopGroup(
                        count, new DefaultThreadFactory("event-loop", true), transport.handlers());
    }

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return loops;
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> kind, EventLoopGroup group) {
        return kind.cast(transport.channel(kind));
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(
            Class<C> kind, EventLoopGroup group) {
        return transport.channelClass(kind).asSubclass(kind);
    }

    @Override
    public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
        return Mono.fromCompletionStage(() -> {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            loops.shutdownGracefully(0, timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .addListener(done -> ended.complete(null));
            return ended;
        });
    }
}
