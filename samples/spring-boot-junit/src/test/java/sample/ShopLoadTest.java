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

/// The service and the generator share the CPUs of this machine. So these tests ask for rates far below
/// what the machine could do, and for facts that hold on a slow machine, too.
@SpringBootTest(webEnvironment = RANDOM_PORT)
class ShopLoadTest {
    @LocalServerPort private int port;

    @LoadTest
    void a_hundred_greetings_a_second_meet_no_wall(Wallfinder wallfinder) {
        LoadResult result =
                wallfinder
                        .load("http://localhost:" + port + "/hello")
                        .rate(100)
                        .warmup(Duration.ofSeconds(5))
                        .duration(Duration.ofSeconds(4))
                        .objective("rate > 80, errors < 1%")
                        .run();
        assertThat(result.wall()).isNull();
    }

    @LoadTest
    void four_threads_are_too_few_for_32_clients(Wallfinder wallfinder) {
        LoadResult result =
                wallfinder
                        .load("http://localhost:" + port + "/price")
                        .connections(32)
                        .warmup(Duration.ofSeconds(3))
                        .duration(Duration.ofSeconds(4))
                        .run();
        assertThat(result.wall()).isEqualTo(Wall.SERVER_CONCURRENCY);
        assertThat(result.errors()).isEmpty();
        // 4 threads of 50 ms each.
        assertThat(result.goodPerSecond()).isBetween(20.0, 81.0);
    }
}
