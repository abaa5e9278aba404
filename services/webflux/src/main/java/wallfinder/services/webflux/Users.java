package wallfinder.services.webflux;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import reactor.core.publisher.Mono;

/// Looks users up with the latency of a database on another host.
final class Users implements AutoCloseable {
    private final UserStore store;
    private final Options.Lookup lookup;
    private final Duration latency;

    private Users(UserStore store, Options.Lookup lookup, Duration latency) {
        this.store = store;
        this.lookup = lookup;
        this.latency = latency;
    }

    /// @throws CannotStart if the store is a Redis that does not answer
    static Users of(Options options) {
        UserStore store =
                options.redis().<UserStore>map(RedisStore::at).orElseGet(UserStore::inMemory);
        return new Users(store, options.lookup(), options.latency());
    }

    /// The user, or nothing if there is no such id.
    Mono<User> find(int id) {
        return switch (lookup) {
            case ASYNC ->
                    latency.isZero()
                            ? store.find(id)
                            : Mono.delay(latency).then(Mono.defer(() -> store.find(id)));
            case BLOCKING -> Mono.defer(() -> awaited(id));
        };
    }

    @Override
    public void close() {
        store.close();
    }

    /// Blocks the thread for the latency and until the store has answered.
    private Mono<User> awaited(int id) {
        try {
            Thread.sleep(latency.toMillis());
            return Mono.justOrEmpty(store.find(id).toFuture().get());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Mono.empty();
        } catch (ExecutionException failed) {
            return Mono.error(failed.getCause());
        }
    }
}
