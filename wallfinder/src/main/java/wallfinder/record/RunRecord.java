package wallfinder.record;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Limit;
import wallfinder.diagnosis.ProfileChange;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.diagnosis.Verdict;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.Observation;

/// The record of one run, from which `run.json` and all reports are made.
///
/// @param command the command line as it was given
/// @param name the experiment's, or the host of the URL
/// @param startedAt ISO 8601, UTC
/// @param host facts of the machine, such as `kernel`, `cpus`, `memoryBytes`, `java`
/// @param trials in the order they ran
/// @param ladder the walls in the order they were reached; empty for `load`
/// @param limits the limits that `doctor` found, the first to bind at the front
/// @param ended a sentence: why the run ended; null for `load`
/// @param experiment the text of the experiment, or null
/// @param study the results of a matrix, or null
/// @param fit the smallest limits, or null
/// @param capacity the highest rate that holds an objective, or null
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
        @Nullable FitRecord fit,
        @Nullable CapacityRecord capacity) {

    /// A run that compares nothing, without limits of `doctor`.
    public RunRecord(
            String command,
            String name,
            String startedAt,
            SortedMap<String, Object> host,
            List<Trial> trials,
            List<Rung> ladder,
            @Nullable String ended,
            @Nullable String experiment) {
        this(
                command,
                name,
                startedAt,
                host,
                trials,
                ladder,
                List.of(),
                ended,
                experiment,
                null,
                null,
                null);
    }

    /// The same with the results of a matrix.
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
                fit,
                capacity);
    }

    /// The same with the results of a fit.
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
                found,
                capacity);
    }

    /// The same with a capacity.
    public RunRecord with(@Nullable CapacityRecord found) {
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
                fit,
                found);
    }

    /// The second word of the command line, such as `load`; empty if there is none.
    public String kind() {
        return StoredRun.kind(command);
    }

    /// The name of the factor for the time in which the services got ready, one after the other.
    public static final String START_SECONDS = "startSeconds";

    /// The name of the factor for the watch that a load was joined with.
    public static final String PEER = "peer";

    /// The name of the factor for the host of that watch.
    public static final String PEER_HOST = "peerHost";

    /// The fact of this host that is its name.
    public static final String HOST_NAME = "hostname";

    /// The name of the factor for the bound of the comparison of both clocks, in microseconds.
    public static final String PEER_CLOCK = "peerClockBoundMicros";

    /// The name of the factor for the watched service.
    public static final String WATCHED = "watched";

    /// What a trial is for.
    public enum Role {
        /// One load, alone.
        SINGLE,
        /// One level of a climb.
        CLIMB,
        /// The service at a wall, started under the load of the wall.
        STARTED_UNDER_LOAD,
        /// The arm of a pair without the remedy or the setting to try.
        PAIR_WITHOUT,
        /// The arm with it.
        PAIR_WITH,
        /// One cell of a matrix in one round.
        CELL,
        /// The load at a wall without the profiler.
        NOT_PROFILED,
        /// The load at a wall with it.
        PROFILED,
        /// The load at a wall while the profiler also samples allocations.
        ALLOCATIONS
    }

    /// One measurement and its judgement.
    ///
    /// @param name unique in its run, such as `climb-3-connections-256` or `verify-1-pair-2-after`
    /// @param factors the settings: connections, knobs, sysctls
    /// @param caveats doubts about the trial, besides those of the diagnosis
    /// @param objectiveMet null without an objective
    /// @param warmup the work before the measurement, or null
    /// @param profile what the CPUs did, or null
    /// @param conditions those of the objective; empty without one, and for the cells of a matrix
    public record Trial(
            String name,
            SortedMap<String, String> factors,
            Observation observation,
            Diagnosis diagnosis,
            List<Caveat> caveats,
            @Nullable Boolean objectiveMet,
            @Nullable Warmup warmup,
            Role role,
            @Nullable Profile profile,
            List<Condition> conditions) {
        /// A trial without a profile.
        public Trial(
                String name,
                SortedMap<String, String> factors,
                Observation observation,
                Diagnosis diagnosis,
                List<Caveat> caveats,
                @Nullable Boolean objectiveMet,
                @Nullable Warmup warmup,
                Role role) {
            this(
                    name,
                    factors,
                    observation,
                    diagnosis,
                    caveats,
                    objectiveMet,
                    warmup,
                    role,
                    null,
                    List.of());
        }

        /// A single trial without a warm-up.
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
                    role,
                    profile,
                    conditions);
        }

        /// The same with the result of a comparison with the objective.
        public Trial meeting(boolean objective) {
            return new Trial(
                    name,
                    factors,
                    observation,
                    diagnosis,
                    caveats,
                    objective,
                    warmup,
                    role,
                    profile,
                    conditions);
        }

        /// The same, compared with an objective; with none if there are no conditions.
        public Trial checked(List<Condition> objective) {
            return new Trial(
                    name,
                    factors,
                    observation,
                    diagnosis,
                    caveats,
                    objective.isEmpty() ? null : objective.stream().allMatch(Condition::met),
                    warmup,
                    role,
                    profile,
                    List.copyOf(objective));
        }

        /// What a user can do about the wall outside a sandbox. If the server was watched on
        /// another host, each of its changes says where it belongs.
        public List<Advice> advice() {
            Judgement.Binds binds = diagnosis.headline();
            if (binds == null) {
                return List.of();
            }
            List<Advice> all = binds.wall().advice(binds, observation);
            String host = factors.get(PEER_HOST);
            return host == null || binds.end() != End.SERVER
                    ? all
                    : all.stream().map(one -> one.on(host)).toList();
        }

        /// Whether a figure misses the objective, whatever the wall is.
        public boolean missesFigures() {
            return conditions.isEmpty()
                    ? Boolean.FALSE.equals(objectiveMet)
                    : conditions.stream().anyMatch(one -> !one.met() && !one.ofWall());
        }

        /// The same in this role.
        public Trial as(Role other) {
            return copy(name, other, profile);
        }

        public Trial named(String other) {
            return copy(other, role, profile);
        }

        /// The same with what the CPUs did.
        public Trial with(@Nullable Profile found) {
            return copy(name, role, found);
        }

        private Trial copy(String otherName, Role otherRole, @Nullable Profile otherProfile) {
            return new Trial(
                    otherName,
                    factors,
                    observation,
                    diagnosis,
                    caveats,
                    objectiveMet,
                    warmup,
                    otherRole,
                    otherProfile,
                    conditions);
        }

        /// All doubts, each once.
        public List<Caveat> allCaveats() {
            SequencedSet<Caveat> all = new LinkedHashSet<>(caveats);
            all.addAll(diagnosis.caveats());
            return List.copyOf(all);
        }

        /// True if the generator was the limit.
        public boolean invalid() {
            return diagnosis.verdict() == Verdict.INVALID;
        }
    }

    /// The work of a service before its measurement.
    ///
    /// @param cpuMicrosPerAnswer CPU time of an answer at its end; `NaN` if unknown
    public record Warmup(long answers, double seconds, double cpuMicrosPerAnswer) {}

    /// One step of the ladder: a wall and what moved it.
    ///
    /// @param trial the index of the trial that reached the wall
    /// @param remedy the remedy that moved it, or null at the end of the ladder
    /// @param without remedies for this wall that moved nothing
    /// @param tried the settings under `try`, whatever the wall
    /// @param advice what a user can do outside the sandbox, if no remedy was verified
    /// @param startedUnderLoad good answers a second of a service without the remedy whose warm-up
    ///   was the load at the wall; null if it was not measured
    /// @param profile what the CPUs did at the wall, without the remedy, or null
    /// @param capacity the highest rate below the wall that holds the objective, if `find` raises
    ///   that; otherwise null
    /// @param unmeasured remedies for this wall and settings under `try` that have no figures
    public record Rung(
            int trial,
            @Nullable Applied remedy,
            List<Applied> without,
            List<Applied> tried,
            List<Advice> advice,
            @Nullable Double startedUnderLoad,
            @Nullable Profile profile,
            @Nullable CapacityRecord capacity,
            List<Unmeasured> unmeasured) {
        public Rung(
                int trial,
                @Nullable Applied remedy,
                List<Applied> without,
                List<Applied> tried,
                List<Advice> advice) {
            this(trial, remedy, without, tried, advice, null, null, null, List.of());
        }

        /// A comparison whose arm without the remedy measured this wall, or null: that with the
        /// remedy that moved it, if there is one.
        public @Nullable Applied paired() {
            return Stream.of(Stream.ofNullable(remedy), without.stream(), tried.stream())
                    .flatMap(comparisons -> comparisons)
                    .filter(Applied::comparable)
                    .findFirst()
                    .orElse(null);
        }
    }

    /// A remedy that was to be tested, and why it has no figures.
    public record Unmeasured(Remedy remedy, String why) {}

    /// What the CPUs did for a service.
    ///
    /// @param cost the throughput with the profiler, divided by that without it; null if there was
    ///   no load
    /// @param change what a remedy changed in it, or null
    public record Profile(
            CpuProfile cpu, @Nullable RatioInterval cost, @Nullable ProfileChange change) {
        public Profile(CpuProfile cpu, @Nullable RatioInterval cost) {
            this(cpu, cost, null);
        }

        /// The same, with what a remedy changed in it.
        public Profile with(@Nullable ProfileChange found) {
            return new Profile(cpu, cost, found);
        }
    }

    /// One arm of a comparison.
    ///
    /// @param perSecond the median of the trials' throughputs
    /// @param p99Nanos the median of their 99th percentiles of the response time
    /// @param requests their requests; for held connections, their number
    /// @param each the throughput of each trial, in the order of the pairs
    public record Side(
            double perSecond, double p99Nanos, long errors, long requests, List<Double> each) {
        public Side {
            each = List.copyOf(each);
        }

        /// The share of failed requests.
        public double errorShare() {
            return requests > 0 ? (double) errors / requests : 0;
        }
    }

    /// The proof that a remedy raises a capacity: pairs of trials at a rate between the capacities
    /// without it and with it.
    ///
    /// @param pairs none if the capacities do not differ
    /// @param missedWithout in how many the objective was missed without the remedy
    /// @param heldWith in how many it was held with it
    public record Raised(double perSecond, int pairs, int missedWithout, int heldWith) {}
}
