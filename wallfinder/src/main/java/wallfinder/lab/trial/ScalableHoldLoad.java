package wallfinder.lab.trial;

import java.time.Duration;
import java.util.function.BiFunction;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.record.RunRecord;

/// Held connections at any number of them, each time in a fresh sandbox: what is closed leaves its
/// ports in TIME_WAIT, and its service with the memory it took.
///
/// @param trials measures an experiment, under a name
record ScalableHoldLoad(
        Experiment experiment,
        LoadSpec.Hold hold,
        BiFunction<Experiment, String, RunRecord.Trial> trials)
        implements ScalableLoad {
    /// Nothing is warmed: the service as it starts is what connections are opened to.
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
