import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// A closed loop of threads, each with its own client, that gets its answers as streams. It reads all
/// answers to their end, or closes each fourth unread, which closes the connection.
///
/// Arguments: URL, threads, requests of each, milliseconds between them, `all` or `some`.
final class StreamClient {
    private static final LongAdder answered = new LongAdder();
    private static final LongAdder failed = new LongAdder();

    private StreamClient() {}

    public static void main(String[] arguments) throws Exception {
        URI uri = URI.create(arguments[0]);
        int requests = Integer.parseInt(arguments[2]);
        long pauseMillis = Long.parseLong(arguments[3]);
        boolean all = arguments[4].equals("all");
        long start = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            threads.add(Thread.ofPlatform().start(() -> drive(uri, requests, pauseMillis, all)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.printf(
                "calls: %d in %.3f s, failed: %d%n",
                answered.sum(), (System.nanoTime() - start) / 1e9, failed.sum());
    }

    private static void drive(URI uri, int requests, long pauseMillis, boolean all) {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        for (int i = 1; i <= requests; i++) {
            try {
                HttpResponse<InputStream> response =
                        client.send(request, HttpResponse.BodyHandlers.ofInputStream());
                try (InputStream in = response.body()) {
                    if (all || i % 4 != 0) {
                        in.readAllBytes();
                    }
                }
                (response.statusCode() == 200 ? answered : failed).increment();
                Thread.sleep(pauseMillis);
            } catch (IOException e) {
                failed.increment();
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
