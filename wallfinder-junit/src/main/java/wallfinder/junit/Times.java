package wallfinder.junit;

import java.time.Duration;

/// The times of good answers.
public record Times(
        Duration mean, Duration p50, Duration p90, Duration p99, Duration p999, Duration max) {}
