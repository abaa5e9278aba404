package wallfinder.lab.capacity;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.experiment.Objective;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// Measures one rate after the other, and keeps all trials.
final class Levels {
    private static final Comparator<Level> BY_RATE = Comparator.comparingDouble(Level::perSecond);

    private final Objective objective;
    private final Interruption interruption;
    private final Progress progress;
    private final List<Level> all = new ArrayList<>();

    Levels(Objective objective, Interruption interruption, Progress progress) {
        this.objective = objective;
        this.interruption = interruption;
        this.progress = progress;
    }

    /// In the order in which they were measured.
    List<Level> all() {
        return List.copyOf(all);
    }

    /// The highest rate whose last trial held the objective.
    Optional<Level> highestHeld() {
        return all.stream().filter(level -> level.held() && isLast(level)).max(BY_RATE);
    }

    private boolean isLast(Level level) {
        return all.stream()
                .skip(level.index() + 1L)
                .noneMatch(later -> later.perSecond() == level.perSecond());
    }

    /// Whether a valid trial missed the objective, and no higher rate has held it.
    boolean missedByService() {
        double held = highestHeld().map(Level::perSecond).orElse(0.0);
        return all.stream()
                .anyMatch(level ->
                        !level.held() && !level.generatorsMiss() && level.perSecond() > held);
    }

    /// Answers are late if something else takes the generator's CPU. Such a trial is measured
    /// again, once: if it comes to that twice, the rate may be too high for the generator.
    Level measure(CapacityTrials.Place place, double rate, Duration time, String name) {
        Level level = once(place, rate, time, name);
        return starved(level) ? repeated(place, rate, time, name) : level;
    }

    /// The same, and so is a trial that missed the objective because the generator was the limit.
    /// If that happens twice, the level says nothing about the service.
    Level judged(CapacityTrials.Place place, double rate, Duration time, String name) {
        Level level = once(place, rate, time, name);
        return starved(level) || level.generatorsMiss() ? repeated(place, rate, time, name) : level;
    }

    private Level repeated(CapacityTrials.Place place, double rate, Duration time, String name) {
        progress.say(
                "  %s: measuring that again"
                        .formatted(
                                starved(all.getLast())
                                        ? "something else took the generator's CPU"
                                        : "the generator was the limit"));
        return once(place, rate, time, name + "-repeated");
    }

    private static boolean starved(Level level) {
        return LoadGenerator.starved(level.trial().observation().load());
    }

    private Level once(CapacityTrials.Place place, double rate, Duration time, String name) {
        interruption.check();
        int index = all.size();
        RunRecord.Trial trial = place.at(rate, time, name);
        if (interruption.isRequested()) {
            all.add(new Level(index, rate, trial, Double.NaN)); // cut short
            throw new CancellationException();
        }
        double margin = Margin.of(objective, trial.observation().load());
        Level level = new Level(index, rate, trial.meeting(margin <= 0), margin);
        all.add(level);
        progress.say("  " + describe(level));
        place.check();
        return level;
    }

    private static String describe(Level level) {
        var load = level.trial().observation().load();
        return "%s/s: %s (p99 %s, %s of %s requests failed)"
                .formatted(
                        text(level.perSecond()),
                        level.held() ? "held" : level.generatorsMiss() ? "invalid" : "missed",
                        NumberText.percentile(load.responseNanos(), 99),
                        NumberText.count(load.failed()),
                        NumberText.count(load.answered() + load.networkErrors()));
    }

    static String text(double rate) {
        return NumberText.format(rate < 100 ? "%.1f" : "%.0f", rate);
    }
}
