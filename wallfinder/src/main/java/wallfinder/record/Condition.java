package wallfinder.record;

/// One condition of an objective, and what a trial measured for it.
///
/// @param asked such as `p99 < 50 ms` or `wall != accept-queue`
/// @param measured in words, such as `62.1 ms`
/// @param ofWall whether it is about the wall, and not about a figure
public record Condition(String asked, String measured, boolean met, boolean ofWall) {
    /// `p99 < 50 ms: 62.1 ms`.
    public String text() {
        return asked + ": " + measured;
    }
}
