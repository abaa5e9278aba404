package wallfinder.record;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Limit;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.Observation;

/// All that one run did: what `run.json` holds and every report is made from.
///
/// @param command the command line as it was given
/// @param name the experiment's name, or the host of the URL
/// @param startedAt ISO 8601, UTC
/// @param host facts of the machine, such as `kernel`, `cpus`, `memoryBytes`, `java`
/// @param trials in the order they ran
/// @param ladder the walls in the order they were met; empty for `load`
/// @param limits what a preflight found, the one that is hit first at the front
/// @param ended one sentence: why it stopped; null for `load`
/// @param experiment the experiment as it was written, or null
/// @param study what the trials of a matrix come to, or null
/// @param fit the smallest limits that were found, or null
public record RunRecord(
        String command,
        String name,
        String startedAt,
        SortedMap<String, Object> host,
        List<Trial> trials,
        List<Rung> ladder,
        List<Limit> limits,
        @Nullable String ended,
        @Nullable String experiment,
        @Nullable StudyRecord study,
        @Nullable FitRecord fit) {

    /// A run that compares nothing.
    public RunRecord(
            String command,
            String name,
            String startedAt,
            SortedMap<String, Object> host,
            List<Trial> trials,
            List<Rung> ladder,
            List<Limit> limits,
            @Nullable String ended,
            @Nullable String experiment) {
        this(command, name, startedAt, host, trials, ladder, limits, ended, experiment, null, null);
    }

    /// A run that measured.
    public RunRecord(
            String command,
            String name,
            String startedAt,
            SortedMap<String, Object> host,
            List<Trial> trials,
            List<Rung> ladder,
            @Nullable String ended,
            @Nullable String experiment) {
        this(command, name, startedAt, host, trials, ladder, List.of(), ended, experiment);
    }

    /// The same with what its trials come to.
    public RunRecord with(@Nullable StudyRecord comparison) {
        return new RunRecord(
                command,
                name,
                startedAt,
                host,
                trials,
                ladder,
                limits,
                ended,
                experiment,
                comparison,
                fit);
    }

    /// The same with the limits that were found.
    public RunRecord with(FitRecord found) {
        return new RunRecord(
                command,
                name,
                startedAt,
                host,
                trials,
                ladder,
                limits,
                ended,
                experiment,
                study,
                found);
    }

    /// The factor that says how long the services took to get ready, one after the other.
    public static final String START_SECONDS = "startSeconds";

    /// The factor that says with which watch of the server a load was joined.
    public static final String PEER = "peer";

    /// The factor that says what was watched.
    public static final String WATCHED = "watched";

    /// What a trial is for.
    public enum Role {
        /// One load, alone.
        SINGLE,
        /// One level of a climb.
        CLIMB,
        /// The service of a wall, started under the load at the wall.
        STARTED_UNDER_LOAD,
        /// One arm of a pair: without a remedy, or a setting to try.
        PAIR_WITHOUT,
        /// The other arm, with it.
        PAIR_WITH,
        /// One cell of a matrix in one round.
        CELL
    }

    /// One measurement and its judgement.
    ///
    /// @param name unique in its run, such as `climb-3-connections-256` or `verify-1-pair-2-after`
    /// @param factors what was set: connections, knobs, sysctls
    /// @param caveats doubts about how it was run, beside those of the diagnosis
    /// @param objectiveMet null if there is no objective
    /// @param warmup what warmed the service before, or null if nothing did
    public record Trial(
            String name,
            SortedMap<String, String> factors,
            Observation observation,
            Diagnosis diagnosis,
            List<Caveat> caveats,
            @Nullable Boolean objectiveMet,
            @Nullable Warmup warmup,
            Role role) {
        /// A trial of a service that nothing warmed.
        public Trial(
                String name,
                SortedMap<String, String> factors,
                Observation observation,
                Diagnosis diagnosis,
                List<Caveat> caveats,
                @Nullable Boolean objectiveMet) {
            this(name, factors, observation, diagnosis, caveats, objectiveMet, null, Role.SINGLE);
        }

        /// The same with one more doubt.
        public Trial with(Caveat caveat) {
            List<Caveat> more = new ArrayList<>(caveats);
            more.add(caveat);
            return new Trial(
                    name,
                    factors,
                    observation,
                    diagnosis,
                    List.copyOf(more),
                    objectiveMet,
                    warmup,
                    role);
        }

        /// The same in this role.
        public Trial as(Role other) {
            return new Trial(
                    name, factors, observation, diagnosis, caveats, objectiveMet, warmup, other);
        }

        /// The doubts about how it was run and those of the diagnosis, each once.
        public List<Caveat> allCaveats() {
            SequencedSet<Caveat> all = new LinkedHashSet<>(caveats);
            all.addAll(diagnosis.caveats());
            return List.copyOf(all);
        }

        /// True if the figures say nothing about the service: the generator or the path was the
        /// wall.
        public boolean invalid() {
            return diagnosis.verdict() == Verdict.INVALID;
        }
    }

    /// The work that a service did before its measurement.
    ///
    /// @param answers how many answers it had given
    /// @param seconds how long that took
    /// @param cpuMicrosPerAnswer CPU time of an answer at the end of it; `NaN` if it is unknown
    public record Warmup(long answers, double seconds, double cpuMicrosPerAnswer) {}

    /// One step of the ladder: the wall that was met and what moved it.
    ///
    /// @param trial the index of the trial that met the wall
    /// @param remedy what moved it, or null where it ended
    /// @param without remedies that were tried for this wall and moved nothing
    /// @param tried the settings under `try`, tested at this wall whatever it was
    /// @param advice what a user would do outside the sandbox; told where nothing was verified
    /// @param startedUnderLoad good answers a second of a service that starts under the load at the
    ///   wall, without the remedy and without a warm-up below the wall; null where that was not
    ///   measured
    public record Rung(
            int trial,
            @Nullable Applied remedy,
            List<Applied> without,
            List<Applied> tried,
            List<Advice> advice,
            @Nullable Double startedUnderLoad) {
        /// Where no service was started under the load.
        public Rung(
                int trial,
                @Nullable Applied remedy,
                List<Applied> without,
                List<Applied> tried,
                List<Advice> advice) {
            this(trial, remedy, without, tried, advice, null);
        }
    }

    /// All trials of one side of a comparison.
    ///
    /// @param perSecond the median of their throughputs
    /// @param errors the failed requests of all of them
    /// @param requests how many all of them sent; of held connections, how many there were
    public record Side(double perSecond, long errors, long requests) {
        /// Of the requests, how many failed: 0 to 1.
        public double errorShare() {
            return requests > 0 ? (double) errors / requests : 0;
        }
    }

    /// A remedy that was applied and measured against the state before it.
    ///
    /// @param throughput answers a second, after against before; of held connections over which
    ///   messages go by the clock, connections a second
    /// @param p99 the 99th percentile of the response time, after against before
    /// @param before the trials without it
    /// @param after the trials with it
    /// @param kept true if it moved the wall and stays
    /// @param masks a cause whose evidence stands as before in the trials with it, though its harm
    ///   is gone; null as a rule
    public record Applied(
            Remedy remedy,
            RatioInterval throughput,
            RatioInterval p99,
            Side before,
            Side after,
            boolean kept,
            @Nullable WallId masks) {
        /// A remedy that masks nothing.
        public Applied(
                Remedy remedy,
                RatioInterval throughput,
                RatioInterval p99,
                Side before,
                Side after,
                boolean kept) {
            this(remedy, throughput, p99, before, after, kept, null);
        }

        /// The same, with the cause that it masks.
        public Applied masking(@Nullable WallId cause) {
            return new Applied(remedy, throughput, p99, before, after, kept, cause);
        }

        /// False if a side had too few answers for a ratio.
        public boolean comparable() {
            return Double.isFinite(throughput.ratio())
                    && Double.isFinite(throughput.low())
                    && Double.isFinite(throughput.high());
        }

        /// In words: `4.10 times, 2.50-4.80`, `no effect, 0.99-1.02`.
        public String text() {
            return effect() + (masks == null ? "" : "; it masks " + masks.word());
        }

        /// Whether at most half as many of the requests fail.
        public boolean mends() {
            return before.errors() > 0 && after.errorShare() <= before.errorShare() / 2;
        }

        private String effect() {
            if (!comparable()) {
                return "not known: too few answers to compare";
            }
            String interval = NumberText.interval(throughput);
            if (mends() && throughput.effect() == RatioInterval.Effect.NONE) {
                return NumberText.format(
                        "errors %,d -> %,d; no effect on the rate, %s",
                        before.errors(), after.errors(), interval);
            }
            String times = NumberText.format("%.2f times, %s", throughput.ratio(), interval);
            return switch (throughput.effect()) {
                case NONE -> "no effect, " + interval;
                case MORE -> times;
                case LESS -> "worse: " + times;
            };
        }
    }
}
