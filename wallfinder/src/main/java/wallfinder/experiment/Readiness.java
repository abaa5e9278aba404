package wallfinder.experiment;

/// When a service counts as started. Placeholders such as `{server}` are still in the strings.
public sealed interface Readiness {
    /// A GET of the URL answers with a status below 400.
    record Url(String url) implements Readiness {}

    /// Something accepts connections at `host:port`.
    record Tcp(String host, String port) implements Readiness {}

    /// A line of the service's output contains the text.
    record Log(String text) implements Readiness {}
}
