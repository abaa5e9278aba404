import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/// A Java HTTP client in one class, with which bench/start compares Wallfinder's start. It sends one
/// request and prints the answer. `FirstGet http|url|socket URL`: java.net.http.HttpClient,
/// HttpURLConnection, or a plain socket.
final class FirstGet {
    public static void main(String[] arguments) throws Exception {
        URI url = URI.create(arguments[1]);
        System.out.println(
                switch (arguments[0]) {
                    case "http" -> http(url);
                    case "url" -> new String(url.toURL().openStream().readAllBytes());
                    case "socket" -> socket(url);
                    default -> throw new IllegalArgumentException(arguments[0]);
                });
    }

    private static String http(URI url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(url).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private static String socket(URI url) throws Exception {
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            String request = "GET / HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readNBytes(1)) + new String(in.readNBytes(in.available()));
        }
    }
}
