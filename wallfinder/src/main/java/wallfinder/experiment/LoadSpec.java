package wallfinder.experiment;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who drives the service.
public sealed interface LoadSpec {
    /// How long one measurement lasts.
    Duration duration();

    /// Our own engine, over HTTP/1.1.
    ///
    /// @param url placeholders such as `{server}` may still be in it
    /// @param keepalive false opens a connection for each request
    /// @param warmup the longest time to wait for a steady rate, not measured
    /// @param timeout an exchange that takes longer is an error of kind `timeout`
    /// @param tls for `https://` only
    record Http(
            String url,
            String method,
            Map<String, String> headers,
            @Nullable String body,
            int connections,
            int threads,
            boolean keepalive,
            Arrival arrival,
            Duration duration,
            Duration warmup,
            Duration timeout,
            TlsSpec tls)
            implements LoadSpec {}

    /// Any program, run in the client's namespace and watched like a service.
    ///
    /// @param duration the longest time it may take
    /// @param measure how its output tells what it did, or null: its rate is unknown
    record Command(
            String command, @Nullable String jvm, Duration duration, @Nullable Measure measure)
            implements LoadSpec {}

    /// Regular expressions, each with one group, for the figures in a program's output.
    record Measure(String requests, @Nullable String seconds, @Nullable String errors) {}
}
