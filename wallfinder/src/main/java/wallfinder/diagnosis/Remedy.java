package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;

/// What would move a wall in the sandbox. Several changes belong to one remedy when the least of
/// several settings counts, as with a listener's backlog and `net.core.somaxconn`.
///
/// @param changes at least one; the first is the one it is named by
/// @param price what it costs
public record Remedy(List<Change> changes, String price) {
    /// A remedy gives four times as much, as far as there is: its effect shows beside the noise,
    /// and the next wall is not far.
    static final long FACTOR = 4;

    /// `backlog 128 -> 4096, net.core.somaxconn 128 -> 4096`.
    public String text() {
        return String.join(
                ", ",
                changes.stream()
                        .map(c -> c.setting().name() + " " + c.from() + " -> " + c.to())
                        .toList());
    }

    /// Each knob of the experiment's programs that moves a wall, doubled at least.
    ///
    /// @param wanted the value that would do, if that is more
    static List<Remedy> raisingKnobs(
            Experiment experiment, WallId wall, String price, ToLongFunction<Knob> wanted) {
        List<Remedy> remedies = new ArrayList<>();
        for (ServiceSpec service : experiment.programs()) {
            service.knobs()
                    .forEach((name, knob) ->
                            Change.raising(
                                            new Setting.OfKnob(service.name(), name),
                                            knob,
                                            wall,
                                            wanted.applyAsLong(knob))
                                    .map(change -> new Remedy(List.of(change), price))
                                    .ifPresent(remedies::add));
        }
        return List.copyOf(remedies);
    }
}
