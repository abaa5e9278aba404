package wallfinder.lab;

import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;

/// To which value a setting under `try` is turned.
final class Try {
    private static final long FACTOR = 16;

    private Try() {}

    /// Sixteen times as much, at most what the knob allows; empty if it is no number or at its end
    /// already.
    static Optional<String> larger(Experiment experiment, Setting setting, String from) {
        if (!from.matches("\\d{1,15}")) {
            return Optional.empty();
        }
        long value = Long.parseLong(from);
        long wanted = Math.max(1, value) * FACTOR;
        long to =
                knob(experiment, setting)
                        .map(Knob::max)
                        .map(max -> Math.min(max, wanted))
                        .orElse(wanted);
        return to == value ? Optional.empty() : Optional.of(Long.toString(to));
    }

    private static Optional<Knob> knob(Experiment experiment, Setting setting) {
        if (!(setting instanceof Setting.OfKnob of)) {
            return Optional.empty();
        }
        return experiment.services().stream()
                .filter(service -> service.name().equals(of.service()))
                .findFirst()
                .map(ServiceSpec::knobs)
                .map(knobs -> knobs.get(of.knob()));
    }
}
