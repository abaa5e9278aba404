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
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Quantile;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// The figures of a trial that a study compares. Everything else stays on the disk, where it does
/// not lengthen the generator's garbage collections.
///
/// @param perSecond good answers a second, or `NaN` if a load command does not report them; for
///   held connections, the answers while all connections are open
/// @param p50Nanos the median response time, or `NaN` if no response was timed
/// @param errors including 4xx and 5xx; null if a load command does not report them
/// @param cpuSeconds the CPU time of the services, or `NaN` if unknown
/// @param startSeconds how long the services took to get ready
/// @param rssBytes the largest resident memory of the services
/// @param heapBytes the sum of the largest maximum heaps of their JVMs, or `NaN`
/// @param held what became of held connections, or null
/// @param verdict in words
/// @param spoilt whether a generator was the wall or was lost, or something else took its CPU
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
        boolean spoilt =
                trial.invalid()
                        || LoadGenerator.starved(load)
                        || trial.caveats().stream().anyMatch(one -> one.is(Doubt.GENERATOR_LOST));
        return new TrialFigures(
                trial.name(),
                rate(load),
                Quantile.percentile(load.responseNanos(), 50),
                Quantile.percentile(load.responseNanos(), 99),
                load.seconds(),
                load.good(),
                load.countsErrors() ? load.failed() : null,
                ofServices(observation, ProcessFigure.CPU, Series::growth),
                Double.parseDouble(trial.factors().getOrDefault(RunRecord.START_SECONDS, "NaN")),
                ofServices(observation, ProcessFigure.RSS, Series::max),
                heapBytes(observation),
                load instanceof LoadOutcome.Held held ? held(held, observation) : null,
                spoilt ? Verdict.INVALID.word() : headline(trial),
                spoilt,
                trial.objectiveMet());
    }

    /// Good answers a second, as a part of a ratio. A trial without one counts as one answer in its
    /// whole time, as in `find`: the other rounds of its cell do not stand for it.
    double divided() {
        return held == null && perSecond == 0 ? 1 / Math.max(seconds, 1e-9) : perSecond;
    }

    private static double rate(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Held held -> {
                LoadOutcome.Hold hold = held.hold();
                yield hold.heldSeconds() > 0 ? hold.heldMessages() / hold.heldSeconds() : 0;
            }
            case LoadOutcome.Requests _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    load.countsRequests() ? load.throughput() : Double.NaN;
        };
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

    /// The kernel memory of the services, or `NaN` if the kernel does not count it. A service's
    /// cgroup is charged with the sockets that the service accepts.
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

    /// The sum of a figure over the services' processes.
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

    /// One trial of a study that is on the disk.
    ///
    /// @param failure why the trial failed, or null
    /// @param starved whether something else took the generator's CPU
    /// @param measured null if the trial failed
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
