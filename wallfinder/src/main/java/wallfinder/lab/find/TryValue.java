package wallfinder.lab.find;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.UsageException;

/// The value that a setting under `try` gets.
final class TryValue {
    private static final long FACTOR = 16;

    /// A switch, not a quantity: 0 never, 1 always, 2 on loopback only.
    private static final String TW_REUSE = "net.ipv4.tcp_tw_reuse";

    private static final String ALWAYS = "1";

    private TryValue() {}

    /// @throws UsageException if a setting under `try` has no other value
    static void check(Experiment experiment) {
        names(experiment)
                .filter(name -> remedy(experiment, experiment.setting(name)).isEmpty())
                .forEach(name -> {
                    throw new UsageException(
                            "`try: [%s]` cannot be tested".formatted(name),
                            "its value '%s' is already the largest, or is not a number"
                                    .formatted(experiment.value(experiment.setting(name))),
                            "remove it from `try`, or give its knob other values with `to`");
                });
    }

    /// Another value from the knob's list, or 16 times the current value up to the knob's maximum.
    /// Empty if the current value is not a number or already the largest.
    static Optional<String> larger(Experiment experiment, Setting setting, String from) {
        if (setting instanceof Setting.OfLimit limit) {
            return Optional.of(larger(limit.kind(), from));
        }
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

    private static String larger(Limits.Kind kind, String from) {
        return switch (kind) {
            case MEMORY, TCP_MEMORY -> Quantity.bytesText(FACTOR * Quantity.bytes(from));
            case CPUS -> Limits.cpusText(FACTOR * Quantity.cpus(from));
            case NOFILE, PIDS -> Long.toString(FACTOR * Quantity.count(from));
        };
    }

    /// The settings under `try` by their names there, each alone, without the options of a JVM.
    static Map<String, Remedy> remedies(Experiment experiment) {
        Map<String, Remedy> remedies = new LinkedHashMap<>();
        names(experiment)
                .forEach(name ->
                        remedy(experiment, experiment.setting(name))
                                .ifPresent(remedy -> remedies.put(name, remedy)));
        return remedies;
    }

    private static Stream<String> names(Experiment experiment) {
        return experiment.tries().stream().filter(name -> !name.equals(Experiment.TRY_JVM));
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
