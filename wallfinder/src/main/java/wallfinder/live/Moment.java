package wallfinder.live;

import java.time.Duration;
import java.util.List;
import wallfinder.diagnosis.Fullness;

/// What a part of a run does now, and the figures of its last interval.
///
/// @param doing such as `64 connections`
/// @param time the planned time of this part
/// @param limits of both ends, the fullest first
/// @param threads what the threads of a watched service do; empty if nobody looks
public record Moment(
        String doing,
        Planned time,
        List<Gauge> gauges,
        List<Fullness> limits,
        List<Threads> threads) {
    /// How often a part shows itself, and the view is drawn.
    public static final Duration INTERVAL = Duration.ofMillis(500);

    public Moment(String doing, Planned time, List<Gauge> gauges, List<Fullness> limits) {
        this(doing, time, gauges, limits, List.of());
    }

    /// A part without figures.
    public static Moment of(String doing, Planned time) {
        return new Moment(doing, time, List.of(), List.of());
    }
}
