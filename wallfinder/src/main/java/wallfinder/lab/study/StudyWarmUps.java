package wallfinder.lab.study;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.trial.WarmUp;
import wallfinder.record.RunRecord;

/// Gives all cells with the same load the same warm-up: as many answers as the first cell needed.
final class StudyWarmUps {
    private final Map<LoadSpec, Long> answers = new HashMap<>();

    WarmUp of(LoadSpec load) {
        WarmUp untilWarm = WarmUp.likelyBelow(load.connections());
        return new WarmUp(untilWarm.connections(), answers.getOrDefault(load, 0L));
    }

    void note(LoadSpec load, RunRecord.@Nullable Warmup done) {
        if (done != null && done.answers() > 0) {
            answers.putIfAbsent(load, done.answers());
        }
    }
}
