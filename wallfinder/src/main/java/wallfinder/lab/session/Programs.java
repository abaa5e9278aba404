package wallfinder.lab.session;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.ServiceSpec;
import wallfinder.sandbox.ServiceUser;

/// What experiments start, for the user who has to agree to it.
public final class Programs {
    /// @param facts as whom it runs, its limits, its folder and its environment
    /// @param command with its placeholders
    public record Started(String name, String facts, String command) {}

    private Programs() {}

    /// Each different program once.
    public static List<Started> of(List<Experiment> experiments) {
        return experiments.stream()
                .flatMap(experiment -> experiment.programs().stream())
                .map(spec -> new Started(spec.name(), facts(spec), spec.command()))
                .distinct()
                .toList();
    }

    /// As whom they run, such as `root, with few capabilities`.
    public static String runAs(Experiment experiment) {
        return experiment.programs().stream()
                .map(spec -> ServiceUser.of(spec.user()).text())
                .distinct()
                .collect(Collectors.joining(", and as "));
    }

    private static String facts(ServiceSpec spec) {
        List<String> facts = new ArrayList<>();
        facts.add(
                spec.host() == null
                        ? "as " + ServiceUser.of(spec.user()).text()
                        : "on " + spec.host());
        for (Limits.Kind kind : Limits.Kind.values()) {
            String limit = spec.limits().text(kind);
            if (limit != null) {
                facts.add(kind.word() + " " + limit);
            }
        }
        if (spec.cwd() != null) {
            facts.add("in " + spec.cwd());
        }
        spec.env().forEach((name, value) -> facts.add(name + "=" + value));
        return String.join(", ", facts);
    }
}
