package wallfinder.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads the `fit` of an experiment. Its candidates have the form of the values of a factor, and
/// are filled into the experiment in the same way.
final class FitReader {
    static final String KEY = "fit";

    /// The name of the factor with the candidates, as in `{candidate.options}`.
    static final String CANDIDATE = "candidate";

    private static final String CANDIDATES = "candidates";
    private static final String TURN = "turn";
    private static final List<String> KEYS = List.of("service", "step", "cold", CANDIDATES, TURN);
    private static final long STEP_DEFAULT = 10L << 20;
    private static final long STEP_MIN = 1L << 20;

    private final YamlEntry entry;
    private final Map<String, YamlEntry> keys;

    FitReader(YamlEntry entry) {
        this.entry = entry;
        this.keys = entry.section(KEYS);
    }

    /// The candidates as a factor, or null if there is one way to start the service.
    @Nullable MatrixFactor candidates() {
        YamlEntry candidates = keys.get(CANDIDATES);
        return candidates == null ? null : MatrixFactor.read(CANDIDATE, candidates);
    }

    private void refuseCapacity(@Nullable Objective objective) {
        if (objective != null
                && objective.bounds().stream().anyMatch(Objective.Bound::ofCapacity)) {
            throw entry.error(
                    "fit cannot use the condition 'capacity' of the objective: a trial at one load"
                            + " has no capacity",
                    "Leave it out, or measure it with `capacity`");
        }
    }

    private void refuseSwap(Experiment experiment, String service) {
        if (experiment.service(service).limits().swapBytes() != null) {
            throw entry.error(
                    "fit cannot use 'swap' of '%s': a service that swaps gets slow instead of"
                                    .formatted(service)
                            + " running out of memory",
                    "Leave it out");
        }
    }

    /// At a closed loop some wall is always reached, and most walls are moved by no memory.
    private void refuseWalls(@Nullable Objective objective) {
        if (objective != null && !objective.walls().isEmpty()) {
            throw entry.error(
                    "fit cannot use the condition '%s' of the objective: it judges the walls of"
                                    .formatted(objective.walls().getFirst().text())
                            + " memory itself, and memory moves no other wall",
                    "Leave it out, or measure the experiment with `run`");
        }
    }

    /// @param matrix its only factor are the candidates
    FitPlan plan(Matrix matrix) {
        Experiment first = matrix.cells().getFirst().experiment();
        if (first.objective() == null) {
            throw entry.error(
                    "without an objective, fit cannot decide whether a limit is large enough",
                    "Add one to the experiment, as in `objective: errors < 1%, p99 < 200ms`");
        }
        for (Matrix.Cell cell : matrix.cells()) {
            refuseWalls(cell.experiment().objective());
            refuseCapacity(cell.experiment().objective());
        }
        String service = service(first);
        matrix.cells().forEach(cell -> refuseSwap(cell.experiment(), service));
        List<FitPlan.Candidate> candidates = new ArrayList<>();
        for (Matrix.Cell cell : matrix.cells()) {
            String name = cell.factors().getOrDefault(CANDIDATE, service);
            candidates.add(new FitPlan.Candidate(name, cell.experiment(), cell.jvms()));
        }
        return new FitPlan(
                matrix.name(),
                matrix.text(),
                service,
                step(candidates, service),
                keys.containsKey("cold"),
                cold(candidates, service),
                matrix.repeat(),
                List.copyOf(candidates),
                turn(candidates));
    }

    private @Nullable String turn(List<FitPlan.Candidate> candidates) {
        YamlEntry given = keys.get(TURN);
        if (given == null) {
            return null;
        }
        List<String> names = candidates.stream().map(FitPlan.Candidate::name).toList();
        String name = given.text(names.getFirst());
        if (!names.contains(name)) {
            throw given.error("there is no candidate '" + name + "'", Nearest.advice(name, names));
        }
        return name;
    }

    /// The named service, else the only one, or the only one with a limit.
    private String service(Experiment experiment) {
        Map<String, ServiceSpec> services = new LinkedHashMap<>();
        experiment.services().forEach(spec -> services.put(spec.name(), spec));
        YamlEntry named = keys.get("service");
        if (named != null) {
            String name = named.text("web");
            if (!services.containsKey(name)) {
                throw named.error(
                        "there is no service '" + name + "'",
                        Nearest.advice(name, services.keySet()));
            }
            return name;
        }
        List<String> limited =
                services.values().stream()
                        .filter(spec -> spec.limits().memoryBytes() != null)
                        .map(ServiceSpec::name)
                        .toList();
        Set<String> meant = services.size() == 1 ? services.keySet() : Set.copyOf(limited);
        if (meant.size() != 1) {
            throw entry.error(
                    "it does not say which service to fit",
                    "Add `service: NAME`, one of " + services.keySet());
        }
        return meant.iterator().next();
    }

    private long step(List<FitPlan.Candidate> candidates, String service) {
        YamlEntry given = keys.get("step");
        long step = given == null ? STEP_DEFAULT : given.as("10m", Quantity::bytes);
        if (step < STEP_MIN) {
            throw (given == null ? entry : given)
                    .error("it is less than a megabyte", "Write it as 10m, or 4m");
        }
        for (FitPlan.Candidate candidate : candidates) {
            Long generous = candidate.experiment().service(service).limits().memoryBytes();
            if (generous == null || generous < 2 * step) {
                throw entry.error(
                        "%s has no memory limit to begin with%s"
                                .formatted(
                                        service, generous == null ? "" : " of two steps or more"),
                        "Give it more than it needs, as in `memory: 1g`: the search starts at what"
                                + " it uses then");
            }
        }
        return step;
    }

    private List<String> cold(List<FitPlan.Candidate> candidates, String service) {
        YamlEntry given = keys.get("cold");
        if (given == null) {
            return List.of();
        }
        List<String> files = new ArrayList<>();
        for (YamlEntry element : given.elements("[\"{home}/app.jar\"]")) {
            String file = ServiceReader.text(element, "\"{home}/app.jar\"", List.of("home"));
            boolean used =
                    candidates.stream()
                            .map(candidate -> candidate.experiment().service(service))
                            .flatMap(spec ->
                                    Stream.concat(
                                            Stream.of(spec.command()),
                                            spec.env().values().stream()))
                            .anyMatch(text -> text.contains(file));
            if (!used) {
                throw element.error(
                        "neither the command nor the environment of %s contains %s"
                                .formatted(service, file),
                        "Copy it exactly from there");
            }
            files.add(file);
        }
        return List.copyOf(files);
    }
}
