package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.Limits;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// Remedies for a JVM that an experiment starts.
final class JvmRemedies {

    /// A smaller increase is not worth trying.
    private static final double GROWTH_MIN = 1.5;

    /// The rest of a container's memory is for classes, code, threads and buffers.
    private static final double HEAP_SHARE_MAX = 0.7;

    /// Instead of the value of an option that nobody sets.
    static final String BY_DEFAULT = "default";

    private static final String PARALLELISM = "-Djdk.virtualThreadScheduler.parallelism=";

    /// From this version on a virtual thread in a synchronized block leaves its carrier (JEP 491).
    private static final int NOT_PINNING = 24;

    /// Before this version ZGC is experimental, and its option alone ends the JVM (JEP 377).
    private static final int ZGC_READY = 15;

    /// The version that runs this program, so it is present.
    private static final String OURS = "25";

    private JvmRemedies() {}

    private static Optional<ServiceSpec> spec(Experiment experiment, String service) {
        return experiment.programs().stream().filter(s -> s.name().equals(service)).findFirst();
    }

    private static End endOf(String service) {
        return service.equals(LoadSpec.Command.NAME) ? End.CLIENT : End.SERVER;
    }

    private static Optional<ServiceSpec> turnable(Experiment experiment, String service) {
        return spec(experiment, service).filter(JvmOption::turnable);
    }

    /// The knobs of a service that move a wall, raised.
    static List<Remedy> knobs(
            WallId wall, Observation observation, Experiment experiment, String service) {
        List<Change> changes =
                Change.raised(
                        experiment,
                        wall,
                        1,
                        knob ->
                                EvidenceFigures.roomier(
                                        EvidenceFigures.number(knob.value()), observation));
        return Remedy.each(
                changes.stream()
                        .filter(change ->
                                change.setting() instanceof Setting.OfKnob(var owner, _)
                                        && owner.equals(service))
                        .toList(),
                "what that knob costs");
    }

    private static Remedy one(Setting setting, @Nullable String from, String to, String price) {
        return new Remedy(
                List.of(new Change(setting, from == null ? BY_DEFAULT : from, to)), price);
    }

    /// A larger heap, and a larger container if the heap would not fit.
    static List<Remedy> heap(Observation observation, Experiment experiment, String service) {
        double now =
                observation
                        .timeline()
                        .find(JvmFigure.HEAP_MAX.of(service), endOf(service))
                        .map(Series::last)
                        .orElse(Double.NaN);
        Optional<ServiceSpec> spec = turnable(experiment, service);
        if (spec.isEmpty() || !(now > 0)) {
            return List.of();
        }
        Long most = observation.facts().most().memoryBytes();
        double wanted = Remedy.FACTOR * now;
        if (most != null) {
            wanted = Math.min(wanted, HEAP_SHARE_MAX * most);
        }
        if (wanted < GROWTH_MIN * now) {
            return List.of();
        }
        List<Change> changes = new ArrayList<>();
        String given = JvmOption.value(spec.get(), JvmOption.Kind.HEAP);
        changes.add(
                new Change(
                        new Setting.OfJvm(service, JvmOption.Kind.HEAP),
                        given == null ? BY_DEFAULT : given,
                        "-Xmx%dm".formatted((long) wanted / EvidenceFigures.MEGABYTE)));
        Long limit = spec.get().limits().memoryBytes();
        if (limit != null && wanted > HEAP_SHARE_MAX * limit) {
            long container =
                    (long) Math.ceil(wanted / HEAP_SHARE_MAX / EvidenceFigures.MEGABYTE)
                            * EvidenceFigures.MEGABYTE;
            changes.add(
                    new Change(
                            new Setting.OfLimit(service, Limits.Kind.MEMORY),
                            Quantity.bytesText(limit),
                            Quantity.bytesText(
                                    most == null ? container : Math.min(container, most))));
        }
        return List.of(new Remedy(List.copyOf(changes), "more memory"));
    }

    /// For the rate, the collector that uses all CPUs while the world is stopped; for the tail, the
    /// collector that does not stop the world.
    static List<Remedy> collector(
            Observation observation, Experiment experiment, String service, @Nullable Harm harm) {
        Optional<ServiceSpec> spec = turnable(experiment, service);
        if (spec.isEmpty()) {
            return List.of();
        }
        boolean several =
                (endOf(service) == End.CLIENT
                                ? observation.facts().clientCpus()
                                : observation.facts().serverCpus())
                        > 1;
        String given = JvmOption.value(spec.get(), JvmOption.Kind.COLLECTOR);
        long major = major(observation, service);
        if (harm == Harm.LATENCY && major >= 0 && major < ZGC_READY) {
            return List.of();
        }
        String wanted =
                harm == Harm.LATENCY
                        ? "-XX:+UseZGC"
                        : several ? "-XX:+UseParallelGC" : "-XX:+UseSerialGC";
        boolean same = wanted.equals(given == null && !several ? "-XX:+UseSerialGC" : given);
        return same
                ? List.of()
                : List.of(
                        one(
                                new Setting.OfJvm(service, JvmOption.Kind.COLLECTOR),
                                given,
                                wanted,
                                harm == Harm.LATENCY ? "extra CPU and memory" : "long pauses"));
    }

    /// A Java that no longer pins, if the service runs on an older one.
    static List<Remedy> newer(Observation observation, Experiment experiment, String service) {
        Optional<ServiceSpec> spec =
                spec(experiment, service).filter(s -> s.command().contains("{jvm}"));
        String asked = spec.map(ServiceSpec::jvm).orElse(null);
        if (asked == null) {
            return List.of(); // it runs on ours
        }
        long running = major(observation, service);
        long major = running < 0 ? majorOf(asked) : running;
        return major < 0 || major >= NOT_PINNING
                ? List.of()
                : List.of(
                        one(
                                new Setting.OfJvm(service, JvmOption.Kind.VERSION),
                                asked,
                                OURS,
                                "an update of Java"));
    }

    /// The Java version that a service runs on; negative if it is unknown.
    private static long major(Observation observation, String service) {
        return observation.facts().services().stream()
                .filter(s -> s.name().equals(service) && s.jvm() != null)
                .map(s -> majorOf(String.valueOf(s.jvm())))
                .findFirst()
                .orElse(-1L);
    }

    private static long majorOf(String version) {
        return EvidenceFigures.number(version.split("[.+-]", 2)[0]);
    }

    /// One carrier for each concurrent request.
    static List<Remedy> carriers(Observation observation, Experiment experiment, String service) {
        Optional<ServiceSpec> spec = turnable(experiment, service);
        if (spec.isEmpty()) {
            return List.of();
        }
        String given = JvmOption.value(spec.get(), JvmOption.Kind.CARRIERS);
        long carriers =
                given == null ? 0 : EvidenceFigures.number(given.substring(PARALLELISM.length()));
        long wanted = EvidenceFigures.roomier(Math.max(0, carriers), observation);
        return List.of(
                one(
                        new Setting.OfJvm(service, JvmOption.Kind.CARRIERS),
                        given,
                        PARALLELISM + wanted,
                        "more platform threads"));
    }
}
