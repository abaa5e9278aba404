package wallfinder.services.webflux;

import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/// The store of the users 1 to COUNT.
interface UserStore extends AutoCloseable {
    int COUNT = 100_000;

    /// The user, or nothing if there is no such id. No thread waits for it.
    Mono<User> find(int id);

    @Override
    default void close() {}

    static List<User> all() {
        return IntStream.rangeClosed(1, COUNT)
                .mapToObj(id -> new User(id, "user-" + id, "user-" + id + "@example.org"))
                .toList();
    }

    static UserStore inMemory() {
        List<User> users = all();
        return id -> id >= 1 && id <= COUNT ? Mono.just(users.get(id - 1)) : Mono.empty();
    }
}
