package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.trial.TrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.record.RunRecord;

/// What the CPUs do for services under a load, and what the profiler cost.
public final class Profiles {
    private static final int PAIRS_MIN = 2;

    private Profiles() {}

    /// @throws UsageException if no requests show what an answer costs
    public static void check(Experiment experiment) {
        if (!(experiment.load() instanceof LoadSpec.Http)) {
            throw new UsageException(
                    "profile cannot drive the load of this experiment",
                    "only requests over HTTP show what an answer costs",
                    "start the load, and name the process: wallfinder profile --pid N");
        }
    }

    /// Profiles the services of an experiment, warm and under its load.
    ///
    /// @param runner starts them, and drives the load
    public static List<RunRecord.Trial> of(Experiment experiment, TrialRunner runner) {
        int connections = experiment.load().connections();
        return runner.profile(experiment, connections, WarmUp.likelyBelow(connections), "profile")
                .map(Profiles::trials)
                .orElseThrow();
    }

    /// @return the trials; the last one with the profiler has the profile
    static List<RunRecord.Trial> trials(TrialRunner.Profiled profiled) {
        List<RunRecord.Trial> trials = new ArrayList<>(profiled.trials());
        for (int i = trials.size() - 1; i >= 0; i--) {
            if (trials.get(i).role() == RunRecord.Role.PROFILED) {
                trials.set(i, trials.get(i).with(of(profiled)));
                break;
            }
        }
        return List.copyOf(trials);
    }

    /// @return null if the services used no CPU
    static RunRecord.@Nullable Profile of(TrialRunner.Profiled profiled) {
        return profiled.profile() == null
                ? null
                : new RunRecord.Profile(
                        Objects.requireNonNull(profiled.profile()), cost(profiled.trials()));
    }

    /// @return null if a trial had no good answer, or if the user stopped before the second pair
    private static @Nullable RatioInterval cost(List<RunRecord.Trial> measured) {
        double[] without = rates(measured, RunRecord.Role.NOT_PROFILED);
        double[] with = rates(measured, RunRecord.Role.PROFILED);
        boolean known =
                without.length == with.length
                        && with.length >= PAIRS_MIN
                        && DoubleStream.concat(DoubleStream.of(without), DoubleStream.of(with))
                                .allMatch(rate -> rate > 0);
        return known ? Bootstrap.ratio(without, with, new Random(Find.SEED)) : null;
    }

    private static double[] rates(List<RunRecord.Trial> measured, RunRecord.Role role) {
        return measured.stream()
                .filter(trial -> trial.role() == role)
                .mapToDouble(trial -> trial.observation().load().throughput())
                .toArray();
    }
}
