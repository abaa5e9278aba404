package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import wallfinder.diagnosis.Verdict;
import wallfinder.lab.session.Progress;
import wallfinder.live.Planned;
import wallfinder.live.Step;
import wallfinder.record.RunRecord;

/// Shows the levels of a climb. Nobody knows where it ends, so it has no time left.
final class ShownClimb implements Consumer<RunRecord.Trial> {
    private final String text;
    private final Progress progress;
    private final Consumer<RunRecord.Trial> keep;
    private final long startNanos = System.nanoTime();
    private final List<Step.Reached> reached = new ArrayList<>();

    /// @param keep gets each trial
    ShownClimb(String text, Progress progress, Consumer<RunRecord.Trial> keep) {
        this.text = text;
        this.progress = progress;
        this.keep = keep;
        show();
    }

    @Override
    public void accept(RunRecord.Trial trial) {
        keep.accept(trial);
        String wall =
                trial.diagnosis().verdict() == Verdict.NAMED
                        ? trial.diagnosis().wallId().map(String::valueOf).orElse("")
                        : "";
        reached.add(
                new Step.Reached(
                        trial.observation().load().connections(),
                        trial.observation().load().throughput(),
                        wall));
        show();
    }

    private void show() {
        progress.step(new Step(text, Planned.unknown(startNanos), List.copyOf(reached)));
    }
}
