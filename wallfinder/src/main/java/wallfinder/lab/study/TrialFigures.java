package wallfinder.lab.study;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.LoadSpec;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// What a study's comparisons need of a trial: all else of it is on the disk and not in memory,
/// where it would make the generator's own collections long.
///
/// @param perSecond answers, or `NaN` if a command does not tell; of held connections those that
///   came when all of them stood
/// @param p50Nanos of the response times, or `NaN` if none was timed
/// @param errors 4xx and 5xx included; null if a command does not tell them
/// @param cpuSeconds of the services, or `NaN` if that was not seen
/// @param startSeconds that they took to get ready
/// @param rssBytes of the services at most
/// @param heapBytes what the JVMs among them let their heaps grow to, or `NaN`
/// @param held what became of held connections, or null
/// @param verdict in words
/// @param spoilt whether its figures are the generator's: it was the wall, or something else took
///   its CPU
public record TrialFigures(
        String name,
        double perSecond,
        double p50Nanos,
        double p99Nanos,
        double seconds,
        long answered,
        @Nullable Long errors,
        double cpuSeconds,
        double startSeconds,
        double rssBytes,
        double heapBytes,
        StudyRecord.@Nullable Held held,
        String verdict,
        boolean spoilt,
        @Nullable Boolean objectiveMet) {

    public static TrialFigures of(RunRecord.Trial trial) {
        Observation observation = trial.observation();
        LoadOutcome load = observation.load();
        boolean spoilt = trial.invalid() || LoadGenerator.starved(load);
        return new TrialFigures(
                trial.name(),
                rate(load),
                percentile(load, 50),
                percentile(load, 99),
                load.seconds(),
                load.good(),
                load.countsErrors() ? errors(load) : null,
                ofServices(observation, ProcessFigure.CPU, Series::growth),
                Double.parseDouble(trial.factors().getOrDefault(RunRecord.START_SECONDS, "NaN")),
                ofServices(observation, ProcessFigure.RSS, Series::max),
                heapBytes(observation),
                load instanceof LoadOutcome.Held held ? held(held, observation) : null,
                spoilt ? Verdict.INVALID.word() : headline(trial),
                spoilt,
                trial.objectiveMet());
    }

    private static double rate(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Held held -> rate(held.hold());
            case LoadOutcome.Requests _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    load.countsRequests() ? load.throughput() : Double.NaN;
        };
    }

    private static double rate(LoadOutcome.Hold hold) {
        return hold.heldSeconds() > 0 ? hold.heldMessages() / hold.heldSeconds() : 0;
    }

    private static StudyRecord.Held held(LoadOutcome.Held load, Observation observation) {
        double alive = load.hold().fate(LoadOutcome.Hold.ALIVE);
        double each = alive > 0 ? 1 / alive : Double.NaN;
        return new StudyRecord.Held(
                load.connections(),
                alive,
                load.connectionsOpened() / load.hold().openingSeconds(),
                ofServices(observation, ProcessFigure.RSS, Series::growth) * each,
                kernelBytes(observation) * each);
    }

    /// What the kernel took on the services' behalf, where it counts that: their cgroups are
    /// charged with the sockets that they accept.
    private static double kernelBytes(Observation observation) {
        double grown =
                services(observation)
                        .map(CgroupFigure.MEMORY_KERNEL::of)
                        .map(key -> observation.timeline().find(key, End.SERVER))
                        .flatMap(Optional::stream)
                        .mapToDouble(Series::growth)
                        .sum();
        return grown > 0 ? grown : Double.NaN;
    }

    private static double percentile(LoadOutcome load, double percentile) {
        return load.responseNanos().getTotalCount() == 0
                ? Double.NaN
                : load.responseNanos().getValueAtPercentile(percentile);
    }

    private static long errors(LoadOutcome load) {
        return load.failed();
    }

    /// A figure of the services' processes, all together.
    private static double ofServices(
            Observation observation, ProcessFigure figure, ToDoubleFunction<Series> value) {
        List<String> services = services(observation).toList();
        double sum = services.isEmpty() ? Double.NaN : 0;
        for (String name : services) {
            sum +=
                    observation
                            .timeline()
                            .find(figure.of(name), End.SERVER)
                            .map(value::applyAsDouble)
                            .orElse(Double.NaN);
        }
        return sum;
    }

    private static double heapBytes(Observation observation) {
        return services(observation)
                .map(name -> observation.timeline().find(JvmFigure.HEAP_MAX.of(name), End.SERVER))
                .flatMap(Optional::stream)
                .mapToDouble(Series::max)
                .filter(Double::isFinite)
                .reduce(Double::sum)
                .orElse(Double.NaN);
    }

    private static Stream<String> services(Observation observation) {
        return observation.facts().services().stream()
                .map(SandboxFacts.ServiceFacts::name)
                .filter(name -> !name.equals(LoadSpec.Command.NAME));
    }

    private static String headline(RunRecord.Trial trial) {
        Judgement.Binds binds = trial.diagnosis().headline();
        if (binds == null) {
            return trial.diagnosis().verdict().word();
        }
        String harm =
                binds.harm() == null
                        ? ""
                        : ", "
                                + switch (binds.harm()) {
                                    case ERRORS -> "errors";
                                    case THROUGHPUT -> "throughput";
                                    case LATENCY -> "latency";
                                };
        return binds.wall().id().word() + ", " + binds.end().word() + harm;
    }

    /// One trial of a study that is kept on the disk.
    ///
    /// @param failure why it could not be measured, or null
    /// @param starved whether something else took the generator's CPU, so that measuring again may
    ///   help
    /// @param measured null if it failed
    record Kept(
            StudyTrial.Slot slot,
            int order,
            boolean starved,
            @Nullable String failure,
            @Nullable TrialFigures measured) {
        static Kept of(StudyTrial trial) {
            RunRecord.Trial seen = trial.trial();
            return new Kept(
                    trial.slot(),
                    trial.order(),
                    trial.starved(),
                    trial.failure(),
                    seen == null ? null : TrialFigures.of(seen));
        }

        int cell() {
            return slot.cell();
        }

        TrialFigures figures() {
            return Objects.requireNonNull(measured);
        }
    }
}
