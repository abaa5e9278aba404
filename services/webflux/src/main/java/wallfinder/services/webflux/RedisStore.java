package wallfinder.services.webflux;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/// The users in Redis, as JSON in one hash, read over one connection of the asynchronous driver.
final class RedisStore implements UserStore {
    static final String KEY = "wallfinder:users";

    private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(2);
    private static final int BATCH = 1_000;

    private final JsonMapper json = new JsonMapper();
    private final RedisClient client;
    private final RedisAsyncCommands<String, String> commands;

    private RedisStore(RedisClient client, StatefulRedisConnection<String, String> connection) {
        this.client = client;
        commands = connection.async();
    }

    /// Connects, and stores the users if they are not stored yet.
    ///
    /// @throws CannotStart if no Redis answers at this address
    static RedisStore at(URI uri) {
        // The driver would use io_uring if it is available. The studies do not measure the driver's
        // loops.
        System.setProperty("io.lettuce.core.iouring", "false");
        RedisURI address =
                RedisURI.builder()
                        .withHost(uri.getHost())
                        .withPort(uri.getPort())
                        .withTimeout(ANSWER_MAX)
                        .build();
        RedisClient client = RedisClient.create(address);
        client.setOptions(
                ClientOptions.builder()
                        .socketOptions(SocketOptions.builder().connectTimeout(CONNECT_MAX).build())
                        // While Redis is away, commands fail at once instead of waiting.
                        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                        .timeoutOptions(TimeoutOptions.enabled(ANSWER_MAX))
                        .build());
        try {
            RedisStore store = new RedisStore(client, client.connect());
            store.fill();
            return store;
        } catch (RedisException none) {
            client.shutdown(Duration.ZERO, CONNECT_MAX);
            Throwable cause = none.getCause() == null ? none : none.getCause();
            throw new CannotStart("no Redis answers at " + uri + ": " + cause.getMessage());
        }
    }

    @Override
    public Mono<User> find(int id) {
        return Mono.fromCompletionStage(() -> commands.hget(KEY, Integer.toString(id)))
                .map(user -> json.readValue(user, User.class))
                .onErrorMap(
                        RedisException.class,
                        away ->
                                new ResponseStatusException(
                                        HttpStatus.SERVICE_UNAVAILABLE, "Redis", away));
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, CONNECT_MAX);
    }

    private void fill() {
        try {
            if (commands.hlen(KEY).toCompletableFuture().join() != COUNT) {
                CompletableFuture.allOf(stored()).join();
            }
        } catch (CompletionException failed) {
            throw new RedisException("the users cannot be stored", failed.getCause());
        }
    }

    private CompletableFuture<?>[] stored() {
        List<CompletableFuture<?>> stored = new ArrayList<>();
        Map<String, String> batch = new HashMap<>();
        for (User user : UserStore.all()) {
            batch.put(Integer.toString(user.id()), json.writeValueAsString(user));
            if (batch.size() == BATCH || user.id() == COUNT) {
                stored.add(commands.hset(KEY, batch).toCompletableFuture());
                batch = new HashMap<>();
            }
        }
        return stored.toArray(CompletableFuture[]::new);
    }
}
