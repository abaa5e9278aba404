package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.JvmOption.Kind;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;

/// The options of a JVM that `try: [jvm]` tests where the CPU or the garbage collector limits a
/// service. docs/find.md lists them with their sources.
public final class JvmCatalogue {
    private static final List<Entry> ENTRIES =
            List.of(
                    new Entry(
                            Kind.COLLECTOR,
                            "-XX:+UseParallelGC",
                            "long pauses",
                            jvm -> jvm.cpus > 1),
                    new Entry(
                            Kind.COLLECTOR,
                            "-XX:+UseSerialGC",
                            "long pauses, and only one CPU collects",
                            jvm -> jvm.cpus == 1 && !jvm.byDefault.equals("Serial")),
                    new Entry(
                            Kind.COLLECTOR,
                            "-XX:+UseG1GC",
                            "more memory outside the heap",
                            jvm -> !jvm.byDefault.equals("G1")),
                    new Entry(
                            Kind.OBJECT_HEADERS,
                            "-XX:+UseCompactObjectHeaders",
                            "none known",
                            _ -> true),
                    new Entry(
                            Kind.TIERS,
                            "-XX:-TieredCompilation",
                            "a slower start and warm-up",
                            jvm -> !jvm.says("-XX:TieredStopAtLevel=")),
                    new Entry(
                            Kind.CODE_CACHE,
                            "-XX:ReservedCodeCacheSize=240m",
                            "more memory",
                            jvm ->
                                    jvm.says("-XX:ReservedCodeCacheSize=")
                                            || jvm.says("-XX:TieredStopAtLevel=")),
                    new Entry(
                            Kind.HUGE_PAGES,
                            "-XX:+UseTransparentHugePages",
                            "more memory",
                            OfService::hugePagesOnRequest));

    private static final long SERVER_BYTES_MIN = 1792L << 20;

    private JvmCatalogue() {}

    /// @param fits whether it is worth trying for a service
    private record Entry(Kind kind, String option, String price, Predicate<OfService> fits) {
        /// `UseG1GC` of `-XX:+UseG1GC`, `ReservedCodeCacheSize` of
        /// `-XX:ReservedCodeCacheSize=240m`.
        String flag() {
            return option.replaceAll("^-XX:[+-]?|=.*", "");
        }
    }

    /// What the conditions ask for.
    ///
    /// @param byDefault the collector that a JVM before 27 takes by itself; empty if the options
    ///   name one
    /// @param flags the names of the options that this JVM has
    private record OfService(
            ServiceSpec spec,
            String byDefault,
            int cpus,
            Set<String> flags,
            boolean hugePagesOnRequest) {
        boolean has(String flag) {
            return flags.contains(flag);
        }

        boolean says(String option) {
            return spec.command().contains(option)
                    || spec.env().values().stream().anyMatch(words -> words.contains(option));
        }
    }

    /// The service whose JVM to turn: the one with options that can be changed that used the most
    /// CPU.
    public static Optional<String> service(Experiment experiment, Observation observation) {
        return experiment.services().stream()
                .filter(JvmOption::turnable)
                .map(ServiceSpec::name)
                .max(Comparator.comparingDouble(name -> cpuSeconds(name, observation)));
    }

    private static double cpuSeconds(String service, Observation observation) {
        return observation
                .timeline()
                .find(ProcessFigure.CPU.of(service), End.SERVER)
                .map(cpu -> Double.isNaN(cpu.growth()) ? 0 : cpu.growth())
                .orElse(0.0);
    }

    /// The remedies that fit this service.
    ///
    /// @param flags the names of the options that its JVM has
    /// @param hugePagesOnRequest whether the kernel gives transparent huge pages to who asks
    public static List<Remedy> remedies(
            Experiment experiment,
            Observation observation,
            String service,
            Set<String> flags,
            boolean hugePagesOnRequest) {
        ServiceSpec spec = experiment.service(service);
        OfService jvm =
                new OfService(
                        spec,
                        byDefault(spec, observation),
                        observation.facts().serverCpus(),
                        flags,
                        hugePagesOnRequest);
        List<Remedy> remedies = new ArrayList<>();
        for (Entry entry : ENTRIES) {
            String given = JvmOption.value(spec, entry.kind);
            boolean there = entry.option.equals(given);
            if (!there && jvm.has(entry.flag()) && entry.fits.test(jvm)) {
                Setting setting = new Setting.OfJvm(service, entry.kind);
                String from = given == null ? JvmRemedies.BY_DEFAULT : given;
                remedies.add(
                        new Remedy(List.of(new Change(setting, from, entry.option)), entry.price));
            }
        }
        remedies.addAll(JvmRemedies.heap(observation, experiment, service));
        return List.copyOf(remedies);
    }

    private static String byDefault(ServiceSpec spec, Observation observation) {
        if (JvmOption.value(spec, Kind.COLLECTOR) != null) {
            return "";
        }
        Long memory = spec.limits().memoryBytes();
        Long most = memory == null ? observation.facts().most().memoryBytes() : memory;
        boolean server =
                observation.facts().serverCpus() > 1 && (most == null || most >= SERVER_BYTES_MIN);
        return server ? "G1" : "Serial";
    }
}
