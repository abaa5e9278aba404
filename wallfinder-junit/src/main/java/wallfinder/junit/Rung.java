package wallfinder.junit;

import org.jspecify.annotations.Nullable;

/// A wall of a ladder, and what moved it.
///
/// @param trial the trial that met the wall
/// @param goodPerSecond good answers a second at the wall
/// @param remedy what moved the wall; null where the ladder ends
/// @param gain the rate with the remedy, divided by the rate without; 1 without a remedy
/// @param gainLow the lower end of the gain's 95 % interval
/// @param gainHigh the upper end
public record Rung(
        Trial trial,
        double goodPerSecond,
        @Nullable Remedy remedy,
        double gain,
        double gainLow,
        double gainHigh) {
    /// The wall, or null if the verdict names none.
    public @Nullable Wall wall() {
        return trial.diagnosis().wall();
    }

    /// A change of a setting that moved a wall.
    public record Remedy(String setting, String from, String to) {}
}
