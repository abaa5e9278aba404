package wallfinder.services.webflux;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import reactor.core.publisher.Mono;

/// Users, behind a lookup that takes as long as a database on another host would.
final class Users implements AutoCloseable {
    private final UserStore store;
    private final Options.Lookup lookup;
    private final Duration latency;

    private Users(UserStore store, Options.Lookup lookup, Duration latency) {
        this.store = store;
        this.lookup = lookup;
        this.latency = latency;
    }

    /// @throws CannotStart if the store is a Redis and does not answer
    static Users of(Options options) {
        UserStore store =
                options.redis().<UserStore>map(RedisStore::at).orElseGet(UserStore::inMemory);
        return new Users(store, options.lookup(), options.latency());
    }

    /// The user, or nothing if there is none of that id.
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

    /// Keeps the thread, for the latency and until the store has answered.
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
