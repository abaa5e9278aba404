package wallfinder.lab.trial;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.lab.session.Interruption;
import wallfinder.observation.Caveat;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.Doubt;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;
import wallfinder.record.RunRecord;

/// Trials at one load, with the profiler and without it. The order changes with each pair, so that
/// a drift of the host or the service affects both alike.
public final class ProfileTrials {
    private static final int PAIRS = 3;

    private final Function<Samples, Profiling> profiler;
    private final ScalableHttpLoad load;
    private final Interruption interruption;
    private final List<RunRecord.Trial> trials = new ArrayList<>();
    private final List<CpuWindow> windows = new ArrayList<>();
    private List<CpuWindow> allocating = List.of();
    private boolean anyJvm;

    /// @param profiler begins to profile the services
    public ProfileTrials(
            Function<Samples, Profiling> profiler,
            ScalableHttpLoad load,
            Interruption interruption) {
        this.profiler = profiler;
        this.load = load;
        this.interruption = interruption;
    }

    public TrialRunner.Profiled run(String name, int connections, Duration duration) {
        for (int pair = 1; pair <= PAIRS; pair++) {
            for (boolean profiled : List.of(pair % 2 == 0, pair % 2 != 0)) {
                String label = "%s-pair-%d-%s".formatted(name, pair, profiled ? "with" : "without");
                if (profiled) {
                    TrialRunner.Seen seen = profiled(label, connections, duration, Samples.SPARING);
                    trials.add(seen.trial());
                    windows.addAll(seen.windows());
                } else {
                    trials.add(
                            load.trial(label, connections, duration)
                                    .as(RunRecord.Role.NOT_PROFILED));
                }
                if (interruption.isRequested()) {
                    return profiled();
                }
            }
        }
        if (anyJvm) {
            allocations(name + "-allocations", connections, duration);
        }
        return profiled();
    }

    /// Sampling allocations has a cost of its own, so no pair does it.
    private void allocations(String label, int connections, Duration duration) {
        TrialRunner.Seen seen = profiled(label, connections, duration, Samples.WITH_ALLOCATIONS);
        trials.add(seen.trial().as(RunRecord.Role.ALLOCATIONS));
        allocating = seen.windows();
    }

    private TrialRunner.Profiled profiled() {
        return new TrialRunner.Profiled(
                List.copyOf(trials), CpuProfile.of(windows, allocating).orElse(null));
    }

    /// One trial with the profiler.
    TrialRunner.Seen profiled(String label, int connections, Duration duration, Samples samples) {
        try (Profiling profiling = profiler.apply(samples)) {
            anyJvm = profiling.anyJvm();
            RunRecord.Trial trial = load.trial(label, connections, duration, profiling);
            List<Caveat> doubts = new ArrayList<>(profiling.doubts());
            List<CpuWindow> seen = List.of();
            try {
                seen = profiling.stop();
            } catch (IOException e) {
                doubts.add(Doubt.NO_STACKS.caveat(String.valueOf(e.getMessage())));
            }
            for (Caveat doubt : doubts) {
                trial = trial.with(doubt);
            }
            return new TrialRunner.Seen(trial.as(RunRecord.Role.PROFILED), seen);
        }
    }
}
