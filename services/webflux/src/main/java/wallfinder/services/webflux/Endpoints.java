package wallfinder.services.webflux;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

@RestController
class Endpoints {
    private final Users users;

    Endpoints(Users users) {
        this.users = users;
    }

    @GetMapping("/users/{id}")
    Mono<User> user(@PathVariable int id) {
        return users.find(id)
                .switchIfEmpty(Mono.error(() -> new ResponseStatusException(HttpStatus.NOT_FOUND)));
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    String health() {
        return "up";
    }

    /// Answers with the unchanged query string.
    @GetMapping(path = "/echo", produces = MediaType.TEXT_PLAIN_VALUE)
    String echoQuery(ServerHttpRequest request) {
        String query = request.getURI().getRawQuery();
        return query == null ? "" : query;
    }

    /// Answers with the body while it is still arriving, so it never holds a whole body.
    @PostMapping("/echo")
    Mono<Void> echoBody(ServerHttpRequest request, ServerHttpResponse response) {
        HttpHeaders asked = request.getHeaders();
        if (asked.getContentType() != null) {
            response.getHeaders().setContentType(asked.getContentType());
        }
        if (asked.getContentLength() >= 0) {
            response.getHeaders().setContentLength(asked.getContentLength());
        }
        return response.writeWith(request.getBody());
    }
}
