package sample;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/// A service with two pages. `/hello` answers at once. `/price` waits for another system, for which
/// the 4 threads of `application.properties` are not enough.
@SpringBootApplication
@RestController
public class Shop {
    /// How long the other system takes.
    private static final long LOOKUP_MILLIS = 50;

    /// Nobody releases it: waiting for it is like waiting for a slow answer.
    private final Semaphore answer = new Semaphore(0);

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }

    @GetMapping("/hello")
    String hello() {
        return "hello";
    }

    @GetMapping("/price")
    String price() throws InterruptedException {
        return answer.tryAcquire(LOOKUP_MILLIS, TimeUnit.MILLISECONDS) ? "sold out" : "42";
    }
}
