package wallfinder.experiment;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Loads that request one page repeatedly: one thread, a closed loop, no warm-up.
public final class Gets {
    private Gets() {}

    public static RequestSpec request(String path) {
        return new RequestSpec("GET", path, List.of(), null, 1);
    }

    public static LoadSpec.Http of(
            String url, int connections, boolean keepalive, Duration duration) {
        return of(url, connections, keepalive, duration, null, TlsSpec.DEFAULT);
    }

    public static LoadSpec.Http of(
            String url,
            int connections,
            boolean keepalive,
            Duration duration,
            @Nullable String unix,
            TlsSpec tls) {
        return of(url, "/", connections, keepalive, duration, unix, tls);
    }

    /// One connection that is kept, for a second.
    public static LoadSpec.Http of(String url, String path) {
        return of(url, path, 1, true, Duration.ofSeconds(1), null, TlsSpec.DEFAULT);
    }

    private static LoadSpec.Http of(
            String url,
            String path,
            int connections,
            boolean keepalive,
            Duration duration,
            @Nullable String unix,
            TlsSpec tls) {
        return new LoadSpec.Http(
                url,
                List.of(Gets.request(path)),
                false,
                connections,
                1,
                keepalive,
                new Arrival.Closed(),
                duration,
                LoadSpec.Http.NO_REQUESTS_MAX,
                Duration.ZERO,
                Timeouts.whole(Duration.ofSeconds(10)),
                unix,
                tls,
                Expectation.DEFAULT,
                List.of());
    }
}
