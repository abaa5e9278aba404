package wallfinder.lab.find;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.HdrHistogram.Histogram;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.ServerConcurrency;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.Setting;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.trial.Climb;
import wallfinder.lab.trial.ScalableLoad;
import wallfinder.lab.trial.TrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;
import wallfinder.record.RunRecord;

/// A simulated service instead of a sandbox. It has equally fast workers, its answers take ten
/// times as long while it is cold, and each measurement has noise.
///
/// @param workers the number of workers for each value of the knob
/// @param coldAnswers how many answers it gives before it is warm
/// @param noise the standard deviation of the logarithm of a rate
/// @param seen changes what a trial outside a climb shows
record SimulatedService(
        Map<String, Integer> workers,
        long coldAnswers,
        double noise,
        SplittableRandom random,
        UnaryOperator<RunRecord.Trial> seen)
        implements TrialRunner {
    private static final double PER_WORKER_PER_SECOND = 100;
    private static final double COLD_FACTOR = 10;
    private static final double WARMING_SECONDS_MAX = 60;

    /// A service on a quiet host.
    SimulatedService(
            Map<String, Integer> workers, long coldAnswers, double noise, SplittableRandom random) {
        this(workers, coldAnswers, noise, random, trial -> trial);
    }

    /// The experiment: 64 connections and one knob.
    static Experiment experiment(Path folder) throws Exception {
        return experiment(folder, "");
    }

    /// @param more further lines of the experiment
    static Experiment experiment(Path folder, String more) throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("simulated.yaml"),
                        """
                        services:
                          web:
                            command: "web --size={size}"
                            ready: tcp://{server}:80
                            knobs: { size: { value: 8, moves: server-concurrency, max: 16 } }
                        load: { url: "http://{server}:80/", connections: 64, duration: 5s }
                        repeat: 5
                        """
                                + more);
        return ExperimentFile.read(file);
    }

    static Find.Result find(SimulatedService service, Path folder) throws Exception {
        return new Find(service, new Interruption(), line -> {}).run(experiment(folder));
    }

    @Override
    public Climb.Climbed climb(
            Experiment experiment,
            Climb.Start start,
            String label,
            Consumer<RunRecord.Trial> keep) {
        return new Climb(
                        new Run(workersOf(experiment)),
                        64,
                        Duration.ofSeconds(5),
                        new Interruption())
                .climb(start, label, keep);
    }

    @Override
    public RunRecord.Trial single(
            Experiment experiment, int connections, WarmUp warmUp, String name) {
        Run run = new Run(workersOf(experiment));
        run.begin(warmUp);
        return seen.apply(run.trial(name, connections, experiment.load().duration()));
    }

    /// It has no processes.
    @Override
    public Optional<Profiled> profile(
            Experiment experiment, int connections, WarmUp warmUp, String name) {
        return Optional.empty();
    }

    @Override
    public Optional<Seen> profileOnce(
            Experiment experiment, int connections, WarmUp warmUp, String name) {
        return Optional.empty();
    }

    private int workersOf(Experiment experiment) {
        String size = experiment.value(new Setting.OfKnob("web", "size"));
        return workers.getOrDefault(size, workers.getOrDefault("8", 8));
    }

    /// One process of the service, from its start.
    private final class Run implements ScalableLoad {
        private final int workers;
        private long answered;

        Run(int workers) {
            this.workers = workers;
        }

        @Override
        public void start(int connections) {
            answered += answersIn(connections, 5);
        }

        @Override
        public void begin(WarmUp warmUp) {
            if (warmUp.answers() > 0) {
                answered += warmUp.answers();
            } else {
                // The warm-up ends when the rate is steady, even if the service is still cold.
                answered += answersIn(warmUp.connections(), 3);
                while (answered < coldAnswers && warmUp.connections() <= workers) {
                    answered += answersIn(warmUp.connections(), WARMING_SECONDS_MAX);
                }
            }
        }

        @Override
        public State rewarm(WarmUp warmUp) {
            begin(warmUp);
            return State.WARM;
        }

        @Override
        public boolean warm() {
            return true;
        }

        @Override
        public long answered() {
            return answered;
        }

        private long answersIn(int connections, double seconds) {
            double warm = Math.min(connections, workers) * PER_WORKER_PER_SECOND;
            double coldSeconds = Math.max(0, coldAnswers - answered) * COLD_FACTOR / warm;
            double cold = Math.min(seconds, coldSeconds);
            return Math.round(cold * warm / COLD_FACTOR + (seconds - cold) * warm);
        }

        @Override
        public RunRecord.Trial trial(String name, int connections, Duration duration) {
            double seconds = duration.toNanos() / 1e9;
            long answers = answersIn(connections, seconds);
            answered += answers;
            double shown = answers * Math.exp(noise * random.nextGaussian());
            return trialOf(name, connections, seconds, Math.round(shown), connections > workers);
        }
    }

    private static RunRecord.Trial trialOf(
            String name, int connections, double seconds, long answers, boolean wall) {
        Histogram times = new Histogram(3);
        times.recordValueWithCount(10_000_000, Math.max(1, answers));
        LoadOutcome load =
                SampleLoad.of(connections, seconds, answers, 0, times)
                        .withUnloaded(times, List.of(), 0, 0);
        Judgement.Binds binds =
                new Judgement.Binds(
                        new ServerConcurrency(), End.SERVER, Harm.THROUGHPUT, new ArrayList<>());
        Diagnosis diagnosis =
                wall
                        ? SimulatedTrials.diagnosis(Verdict.NAMED, binds, null)
                        : SimulatedTrials.none();
        return SimulatedTrials.trial(name, load, diagnosis, null);
    }
}
