package wallfinder.record;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// A run as its `run.json` describes it, as far as runs can be compared. A figure that is not known
/// is `NaN`.
///
/// @param file the `run.json`
/// @param cells the cells of a matrix; empty without one
/// @param fit the smallest limits, or null
/// @param capacity the highest rate that holds an objective, or null
public record StoredRun(
        Path file,
        String name,
        String command,
        String startedAt,
        SortedMap<String, String> host,
        List<Trial> trials,
        List<Rung> ladder,
        List<Cell> cells,
        @Nullable Fit fit,
        @Nullable Capacity capacity) {

    /// The second word of the command line, such as `load`; empty if there is none.
    public String kind() {
        return kind(command);
    }

    /// The same run in another file.
    public StoredRun at(Path other) {
        return new StoredRun(
                other, name, command, startedAt, host, trials, ladder, cells, fit, capacity);
    }

    static String kind(String command) {
        String[] words = command.split(" +");
        return words.length > 1 ? words[1] : "";
    }

    /// One measurement.
    ///
    /// @param load null if no client was seen
    /// @param cpuMicros the services' CPU time for a good answer
    /// @param settings the sysctls of both ends, as in an experiment: `server.net.core.somaxconn`
    /// @param jvms the JVM of each service
    /// @param pids the processes of the services
    /// @param doubts their advice, by id
    public record Trial(
            String name,
            SortedMap<String, String> factors,
            @Nullable Load load,
            Finding finding,
            @Nullable Budget budget,
            double cpuMicros,
            boolean warmed,
            SortedMap<String, String> settings,
            SortedMap<String, Jvm> jvms,
            SortedMap<String, String> place,
            Set<Integer> pids,
            Map<String, String> doubts) {
        /// Whether the generator was the limit.
        public boolean invalid() {
            return finding.verdict().equals("invalid");
        }
    }

    /// @param asked what an open loop was asked for, or null
    /// @param failed the exchanges that failed; null if the load command does not report them
    /// @param protocol of TLS, or null
    /// @param held what became of held connections, or null
    public record Load(
            String engine,
            long connections,
            boolean keepalive,
            String arrival,
            @Nullable String asked,
            double seconds,
            double goodPerSecond,
            long good,
            @Nullable Long failed,
            double p50Micros,
            double p99Micros,
            @Nullable String protocol,
            List<String> requests,
            @Nullable Held held) {}

    /// @param alive the connections at the end
    public record Held(double alive, double connectsPerSecond) {}

    /// What the diagnosis concluded.
    ///
    /// @param wall and the others are null if no wall was named
    public record Finding(
            String verdict, @Nullable String wall, @Nullable String end, @Nullable String harm) {}

    /// Microseconds of an answer by their part, in the order of the file.
    ///
    /// @param alone without load; null if it was not measured
    public record Budget(@Nullable Map<String, Double> alone, Map<String, Double> loaded) {}

    /// @param home its folder
    public record Jvm(String version, String vendor, String home, String archive) {}

    /// One wall of a ladder.
    ///
    /// @param trial the index of the trial that reached it
    /// @param moved what moved it, and the gain, in words; null if nothing did
    public record Rung(int trial, @Nullable String moved) {}

    /// @param trials the names of those that count
    public record Cell(SortedMap<String, String> factors, Set<String> trials) {}

    /// @param high infinite if the generator was the limit
    /// @param trials the names of its pairs
    /// @param wallTrial the index of the trial at the wall above, or null
    public record Capacity(
            String objective,
            double perSecond,
            double low,
            double high,
            Set<String> trials,
            @Nullable Integer wallTrial) {}

    /// @param candidates by name
    public record Fit(long stepBytes, Map<String, Candidate> candidates) {}

    /// The smallest limits, warm and cold; null if none was found or searched.
    public record Candidate(@Nullable Smallest warm, @Nullable Smallest cold) {}

    /// @param trials the names of the trials that passed at this limit
    public record Smallest(long bytes, Set<String> trials) {}
}
