package wallfinder.lab.trial;

import java.time.Duration;
import java.util.function.BiFunction;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.record.RunRecord;

/// Any number of held connections, each trial in a fresh sandbox: closed connections leave their
/// ports in TIME_WAIT, and the service keeps their memory.
///
/// @param trials measures an experiment under a name
record ScalableHoldLoad(
        Experiment experiment,
        LoadSpec.Hold hold,
        BiFunction<Experiment, String, RunRecord.Trial> trials)
        implements ScalableLoad {
    /// There is no warm-up: connections are opened to a fresh service.
    @Override
    public void start(int connections) {}

    @Override
    public void begin(WarmUp warmUp) {}

    @Override
    public State rewarm(WarmUp warmUp) {
        return State.AS_IT_IS;
    }

    @Override
    public boolean warm() {
        return false;
    }

    @Override
    public long answered() {
        return 0;
    }

    @Override
    public RunRecord.Trial trial(String name, int connections, Duration duration) {
        return trials.apply(experiment.withLoad(hold.with(connections, duration)), name);
    }
}
