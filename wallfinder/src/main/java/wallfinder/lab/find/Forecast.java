package wallfinder.lab.find;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Scalability;
import wallfinder.diagnosis.Verdict;
import wallfinder.lab.session.Progress;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.Climbs;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// Predicts the rate of a climb's next level by the Universal Scalability Law, before it is
/// measured, and says whether it came true.
final class Forecast implements Consumer<RunRecord.Trial> {
    private final Progress progress;
    private final Consumer<RunRecord.Trial> keep;
    private final SortedMap<Integer, Double> rates = new TreeMap<>();
    private int connections;
    private Scalability.@Nullable Bounded expected;

    /// @param keep gets each trial first
    Forecast(Progress progress, Consumer<RunRecord.Trial> keep) {
        this.progress = progress;
        this.keep = keep;
    }

    /// A level was measured. Levels of a closed loop without a wall show how the service scales.
    @Override
    public void accept(RunRecord.Trial trial) {
        keep.accept(trial);
        if (!(trial.observation().load() instanceof LoadOutcome.Requests load)
                || !(load.loop() instanceof LoadOutcome.Loop.Closed)
                || trial.diagnosis().verdict() == Verdict.INVALID) {
            return;
        }
        check(load);
        if (trial.diagnosis().verdict() == Verdict.NONE) {
            rates.put(load.connections(), load.throughput());
            predict(2 * load.connections());
        }
    }

    private void check(LoadOutcome.Requests load) {
        if (expected != null && load.connections() == connections) {
            double rate = load.throughput();
            String cameTrue =
                    rate < expected.low()
                            ? "less than predicted"
                            : rate > expected.high() ? "more than predicted" : "as predicted";
            progress.say("  measured %s: %s".formatted(perSecond(rate), cameTrue));
        }
        expected = null;
    }

    private void predict(int next) {
        Optional<Scalability> law =
                Scalability.of(
                        rates.entrySet().stream()
                                .map(e -> new Scalability.Point(e.getKey(), e.getValue()))
                                .toList());
        if (law.isEmpty()) {
            return;
        }
        Scalability.Bounded rate = law.get().at(next);
        connections = next;
        expected = rate;
        progress.say(
                "the Universal Scalability Law predicts %s with %d connections (%s-%s);"
                                .formatted(
                                        perSecond(rate.value()),
                                        next,
                                        perSecond(rate.low()),
                                        perSecond(rate.high()))
                        + " "
                        + Climbs.words(law.get()));
    }

    private static String perSecond(double rate) {
        return NumberText.format("%,.0f/s", rate);
    }
}
