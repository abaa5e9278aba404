package wallfinder.lab.find;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Remedy;
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

    /// The settings under `try` by their names there, each alone, without the options of a JVM.
    static Map<String, Remedy> remedies(Experiment experiment) {
        Map<String, Remedy> remedies = new LinkedHashMap<>();
        experiment.tries().stream()
                .filter(name -> !name.equals(Experiment.TRY_JVM))
                .forEach(name ->
                        remedy(experiment, experiment.setting(name))
                                .ifPresent(remedy -> remedies.put(name, remedy)));
        return remedies;
    }

    private static Optional<Remedy> remedy(Experiment experiment, Setting setting) {
        String from = experiment.value(setting);
        return from == null
                ? Optional.empty()
                : larger(experiment, setting, from)
                        .map(to -> new Remedy(List.of(new Change(setting, from, to)), ""));
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
