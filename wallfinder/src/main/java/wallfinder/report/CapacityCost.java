package wallfinder.report;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.CapacityRecord;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// The CPU time of an answer in the pairs of a capacity, in microseconds.
record CapacityCost(double lowest, double median, double highest) {
    /// The capacity of a full CPU is known no better than the speed of the CPU.
    private static final double UNSTEADY = 1.1;

    /// Empty if the services' processes are hidden.
    static Optional<CapacityCost> of(CapacityRecord capacity, List<RunRecord.Trial> trials) {
        double[] micros =
                capacity.pairs().stream()
                        .flatMap(pair -> Stream.of(pair.below(), pair.above()))
                        .mapToDouble(side -> micros(trials.get(side.trial())))
                        .filter(Double::isFinite)
                        .sorted()
                        .toArray();
        return micros.length == 0
                ? Optional.empty()
                : Optional.of(
                        new CapacityCost(
                                micros[0], micros[micros.length / 2], micros[micros.length - 1]));
    }

    private static double micros(RunRecord.Trial trial) {
        Timeline timeline = trial.observation().timeline();
        double[] seconds =
                timeline.all(ProcessFigure.CPU, End.SERVER).mapToDouble(Series::growth).toArray();
        return seconds.length == 0
                ? Double.NaN
                : 1e6
                        * Arrays.stream(seconds).sum()
                        / timeline.growth(LoadFigure.REQUESTS, End.CLIENT);
    }

    String words() {
        String text =
                NumberText.format(
                        "an answer takes %,.0f us of CPU time, the median of the pairs (%,.0f to"
                                + " %,.0f)",
                        median, lowest, highest);
        return highest < UNSTEADY * lowest
                ? text
                : text
                        + ": the host or the service was not equally fast all the time. If a CPU is"
                        + " the wall, the capacity changes as much";
    }
}
