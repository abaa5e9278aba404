package wallfinder.services.webflux;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/// Users in memory, behind a lookup that takes as long as a database on another host would.
final class Users {
    /// Users 1 to COUNT exist.
    static final int COUNT = 100_000;

    private final List<User> stored =
            IntStream.rangeClosed(1, COUNT).mapToObj(Users::made).toList();
    private final Options.Lookup lookup;
    private final Duration latency;

    Users(Options.Lookup lookup, Duration latency) {
        this.lookup = lookup;
        this.latency = latency;
    }

    /// The user, or nothing if there is none of that id.
    Mono<User> find(int id) {
        return switch (lookup) {
            case ASYNC -> Mono.delay(latency).then(Mono.defer(() -> at(id)));
            case BLOCKING ->
                    Mono.defer(() -> {
                        occupyThread();
                        return at(id);
                    });
        };
    }

    private Mono<User> at(int id) {
        return id >= 1 && id <= COUNT ? Mono.just(stored.get(id - 1)) : Mono.empty();
    }

    private void occupyThread() {
        try {
            Thread.sleep(latency.toMillis());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private static User made(int id) {
        return new User(id, "user-" + id, "user-" + id + "@example.org");
    }
}
