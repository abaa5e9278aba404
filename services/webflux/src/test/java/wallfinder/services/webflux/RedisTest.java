package wallfinder.services.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

class RedisTest {
    @Test
    void users_are_looked_up_in_a_real_redis_and_its_end_is_an_error(@TempDir Path folder)
            throws Exception {
        assumeTrue(Redis.program().isPresent(), "redis-server is not installed");
        try (Redis redis = Redis.started(folder);
                ConfigurableApplicationContext service =
                        WebfluxTest.started("--eventLoops=1", "--store=" + redis.url())) {
            Client client = Client.of(Webflux.port(service));
            assertThat(redis.reply("HLEN wallfinder:users")).isEqualTo(":100000");
            List<CompletableFuture<String>> users =
                    IntStream.rangeClosed(1, 200)
                            .mapToObj(id ->
                                    client.asked("/users/" + id).thenApply(answer -> answer.body()))
                            .toList();
            for (int i = 0; i < users.size(); i++) {
                assertThat(users.get(i).join()).contains("\"id\":" + (i + 1) + ",");
            }
            assertThat(client.get("/users/100001").statusCode()).isEqualTo(404);
            redis.reply("HSET wallfinder:users 7 '{\"id\":7,\"name\":\"seven\",\"email\":\"\"}'");
            assertThat(client.get("/users/7").body()).contains("seven");
            redis.kill();
            assertThat(client.get("/users/7").statusCode()).isEqualTo(503);
            assertThat(client.get("/health").body()).isEqualTo("up");
        }
    }

    @Test
    void a_blocking_lookup_asks_redis_too(@TempDir Path folder) throws Exception {
        assumeTrue(Redis.program().isPresent(), "redis-server is not installed");
        try (Redis redis = Redis.started(folder);
                ConfigurableApplicationContext service =
                        WebfluxTest.started("--lookup=blocking", "--store=" + redis.url())) {
            Client client = Client.of(Webflux.port(service));
            assertThat(client.get("/users/100000").body()).contains("user-100000");
            assertThat(client.get("/users/0").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void without_a_redis_the_service_does_not_start_and_says_why() {
        Options options = Options.parse("--port=0", "--store=redis://127.0.0.1:1");
        assertThatThrownBy(() -> Webflux.start(options))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("no Redis answers at redis://127.0.0.1:1: ")
                .hasMessageContaining("Connection refused");
    }
}
