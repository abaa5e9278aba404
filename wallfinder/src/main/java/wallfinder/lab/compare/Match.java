package wallfinder.lab.compare;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRun.Trial;

/// Trials of the two runs that correspond.
///
/// @param bytes the smallest limits that `fit` found, or null
/// @param rungs what moved the wall of a ladder, or null
/// @param capacities the highest rates that hold an objective, or null
record Match(
        String label,
        List<Trial> a,
        List<Trial> b,
        @Nullable Bytes bytes,
        @Nullable Moved rungs,
        @Nullable Capacities capacities) {
    /// @param step the distance between two limits of the search
    record Bytes(long a, long b, long step) {}

    record Capacities(StoredRun.Capacity a, StoredRun.Capacity b) {}

    /// What moved the wall, in words; null if nothing did.
    record Moved(@Nullable String a, @Nullable String b) {}

    Match(String label, List<Trial> a, List<Trial> b) {
        this(label, a, b, null, null, null);
    }
}
