import io.helidon.webserver.WebServer;

/// A Helidon server with its default settings: `Hello PORT`.
final class Hello {
    private Hello() {}

    public static void main(String[] args) {
        WebServer.builder()
                .host("127.0.0.1")
                .port(Integer.parseInt(args[0]))
                .routing(routing -> routing.get("/", (_, response) -> response.send("hello\n")))
                .build()
                .start();
    }
}
