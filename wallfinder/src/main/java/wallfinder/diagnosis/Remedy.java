package wallfinder.diagnosis;

import java.util.List;
import java.util.function.ToLongFunction;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.WallId;

/// A change that should move a wall in the sandbox. A remedy has several changes if the smallest of
/// several settings applies, as with a listener's backlog and `net.core.somaxconn`.
///
/// @param changes at least one; the first gives the remedy its name
public record Remedy(List<Change> changes, String price) {
    /// Four times as much has a visible effect, and stays close to the next wall.
    static final long FACTOR = 4;

    /// `backlog 128 -> 4096, net.core.somaxconn 128 -> 4096`.
    public String text() {
        return String.join(
                ", ",
                changes.stream()
                        .map(c -> c.setting().name() + " " + c.from() + " -> " + c.to())
                        .toList());
    }

    /// A remedy for each knob that moves a wall; it at least doubles the knob's value.
    ///
    /// @param wanted the value to raise to, if that is more than double
    static List<Remedy> raisingKnobs(
            Experiment experiment, WallId wall, String price, ToLongFunction<Knob> wanted) {
        return each(
                Change.raised(
                        experiment,
                        wall,
                        1,
                        knob ->
                                Math.max(
                                        2 * EvidenceFigures.number(knob.value()),
                                        wanted.applyAsLong(knob))),
                price);
    }

    /// A remedy for each change.
    static List<Remedy> each(List<Change> changes, String price) {
        return changes.stream().map(change -> new Remedy(List.of(change), price)).toList();
    }
}
