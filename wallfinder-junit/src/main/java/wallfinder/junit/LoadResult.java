package wallfinder.junit;

import java.util.Map;

/// What one load found.
public record LoadResult(Run run, Trial trial) implements Result {
    /// Good answers a second.
    public double goodPerSecond() {
        return trial.goodPerSecond();
    }

    /// How many exchanges failed, by kind; empty if none did.
    public Map<String, Long> errors() {
        return trial.errors();
    }

    /// The response times of good answers.
    public Times response() {
        return trial.response();
    }

    @Override
    public String figures() {
        return trial.figures();
    }
}
