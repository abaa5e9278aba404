package wallfinder.lab.find;

import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;

/// The value that a setting under `try` gets.
final class TryValue {
    private static final long FACTOR = 16;

    /// A switch, not a quantity: 0 never, 1 always, 2 on loopback only.
    private static final String TW_REUSE = "net.ipv4.tcp_tw_reuse";

    private static final String ALWAYS = "1";

    private TryValue() {}

    /// Another value from the knob's list, or 16 times the current value up to the knob's maximum.
    /// Empty if the current value is not a number or already the largest.
    static Optional<String> larger(Experiment experiment, Setting setting, String from) {
        if (setting.name().equals(TW_REUSE)) {
            return from.equals(ALWAYS) ? Optional.empty() : Optional.of(ALWAYS);
        }
        List<String> others = knob(experiment, setting).map(Knob::to).orElse(List.of());
        if (!others.isEmpty()) {
            return others.stream().filter(other -> !other.equals(from)).findFirst();
        }
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
        return experiment.programs().stream()
                .filter(service -> service.name().equals(of.service()))
                .findFirst()
                .map(ServiceSpec::knobs)
                .map(knobs -> knobs.get(of.name()));
    }
}
