package wallfinder.services.webflux;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

/// A client of the service on this machine.
record Client(HttpClient http, int port) {
    static Client of(int port) {
        return new Client(
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), port);
    }

    HttpResponse<String> get(String path) {
        return asked(path).join();
    }

    CompletableFuture<HttpResponse<String>> asked(String path) {
        return http.sendAsync(request(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String type, String body) {
        HttpRequest request =
                request(path)
                        .header("Content-Type", type)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }
}
