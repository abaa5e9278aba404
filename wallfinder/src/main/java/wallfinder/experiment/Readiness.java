package wallfinder.experiment;

/// The condition under which a service counts as ready. The strings may contain placeholders such
/// as `{server}`.
public sealed interface Readiness {
    /// A GET of the URL answers with a status below 400.
    record Url(String url) implements Readiness {}

    /// `host:port` accepts connections.
    record Tcp(String host, String port) implements Readiness {}

    /// A line of the service's output contains the text.
    record Log(String text) implements Readiness {}
}
