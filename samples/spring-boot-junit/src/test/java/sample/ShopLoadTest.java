package sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.boot.test.context.SpringBootTest.WebEnvironment.RANDOM_PORT;

import java.time.Duration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import wallfinder.junit.LoadResult;
import wallfinder.junit.LoadTest;
import wallfinder.junit.Wall;
import wallfinder.junit.Wallfinder;

/// The service and the generator share the CPUs of this machine. So the tests ask for little, and
/// assert facts that hold on a slow machine, too.
@SpringBootTest(webEnvironment = RANDOM_PORT)
class ShopLoadTest {
    /// A service that has just started needs its CPUs to compile itself, and the generator waits.
    private static final Duration WARM_UP = Duration.ofSeconds(2);

    private static final Duration MEASURED = Duration.ofSeconds(4);

    @LocalServerPort private int port;

    @LoadTest
    void fifty_greetings_a_second_find_a_free_thread(Wallfinder wallfinder) {
        LoadResult result =
                wallfinder
                        .load("http://localhost:" + port + "/hello")
                        .rate(50)
                        .warmup(WARM_UP)
                        .duration(MEASURED)
                        .objective("rate > 30, errors < 1%")
                        .run();
        assertThat(result.wall()).isNotEqualTo(Wall.SERVER_CONCURRENCY);
    }

    @LoadTest
    void four_threads_are_too_few_for_32_clients(Wallfinder wallfinder) {
        LoadResult result =
                wallfinder
                        .load("http://localhost:" + port + "/price")
                        .connections(32)
                        .warmup(WARM_UP)
                        .duration(MEASURED)
                        .run();
        assertThat(result.wall()).isEqualTo(Wall.SERVER_CONCURRENCY);
        assertThat(result.errors()).isEmpty();
        // Each of the 4 threads needs at least 50 ms for an answer.
        assertThat(result.goodPerSecond()).isBetween(20.0, 100.0);
    }
}
