package wallfinder.record;

import java.util.stream.Collectors;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome;

/// Describes a load, in files and for people.
public final class LoadWording {
    private static final int STAGES_SHOWN_MAX = 4;

    private LoadWording() {}

    /// `closed`, `lockstep`, `rate`, `poisson` or `stages`, as in an experiment.
    static String arrival(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Driven driven -> arrival(driven.loop());
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> "closed";
        };
    }

    private static String arrival(LoadOutcome.Loop loop) {
        return switch (loop) {
            case LoadOutcome.Loop.Closed _ -> "closed";
            case LoadOutcome.Loop.Lockstep _ -> "lockstep";
            case LoadOutcome.Loop.Open open ->
                    switch (open.arrival()) {
                        case Arrival.Rate _ -> "rate";
                        case Arrival.Poisson _ -> "poisson";
                        case Arrival.Stages _ -> "stages";
                    };
        };
    }

    /// `5,000/s asked`.
    public static String asked(Arrival.Open arrival) {
        return switch (arrival) {
            case Arrival.Rate rate -> NumberText.perSecond(rate.perSecond()) + " asked";
            case Arrival.Poisson poisson ->
                    NumberText.perSecond(poisson.perSecond()) + " asked as a Poisson process";
            case Arrival.Stages stages ->
                    stages.stages().stream()
                                    .map(LoadWording::stage)
                                    .limit(STAGES_SHOWN_MAX)
                                    .collect(Collectors.joining(", "))
                            + (stages.stages().size() > STAGES_SHOWN_MAX ? ", ..." : "")
                            + " asked";
        };
    }

    private static String stage(Arrival.Stage stage) {
        String length = NumberText.seconds(stage.length().toNanos() / 1e9);
        return stage.from() == stage.to()
                ? NumberText.perSecond(stage.from()) + " for " + length
                : "%s to %s in %s"
                        .formatted(
                                NumberText.perSecond(stage.from()),
                                NumberText.perSecond(stage.to()),
                                length);
    }
}
