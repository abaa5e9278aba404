package wallfinder.experiment;

/// What has to hold, such as `p99 < 50ms`, `throughput > 5k` or `errors < 0.1%`.
///
/// @param metric `p50 p90 p99 p999 max mean` (microseconds), `throughput` (per second) or `errors`
///   (share)
/// @param below true if the metric must stay below the bound
/// @param bound in microseconds, per second, or as a share of one
/// @param text as the user wrote it
public record Objective(String metric, boolean below, double bound, String text) {}
