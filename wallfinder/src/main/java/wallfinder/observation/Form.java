package wallfinder.observation;

import wallfinder.observation.Counter.Kind;

/// How a figure is written, and how its values are read.
///
/// @param text its name; of a figure that many services have, with empty brackets: `process[].cpu`
public record Form(String text, Kind kind, Unit unit) {
    /// A figure that only grows.
    static Form total(String text, Unit unit) {
        return new Form(text, Kind.CUMULATIVE, unit);
    }

    static Form level(String text, Unit unit) {
        return new Form(text, Kind.GAUGE, unit);
    }
}
