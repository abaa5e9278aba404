package wallfinder.observation;

import wallfinder.observation.Counter.Kind;

/// The name of a figure and the meaning of its values.
///
/// @param text the name in files; with empty brackets if many subjects have it: `process[].cpu`
public record Form(String text, Kind kind, Unit unit) {
    static Form total(String text, Unit unit) {
        return new Form(text, Kind.CUMULATIVE, unit);
    }

    static Form level(String text, Unit unit) {
        return new Form(text, Kind.GAUGE, unit);
    }
}
