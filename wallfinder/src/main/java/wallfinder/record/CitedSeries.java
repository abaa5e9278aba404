package wallfinder.record;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.observation.Counter;
import wallfinder.observation.Series;
import wallfinder.record.RunRecord.Trial;

/// The series that a judgement cites. Derived evidence has no series.
public final class CitedSeries {
    private CitedSeries() {}

    /// `server:TcpExt.ListenOverflows`: a counter with its end.
    public static String label(Counter counter) {
        return counter.end().word() + ":" + counter.name();
    }

    /// The series of the headline first, then those of the other walls that bind.
    public static List<Series> of(Trial trial) {
        SequencedSet<Series> cited = new LinkedHashSet<>();
        for (Evidence evidence : evidence(trial)) {
            trial.observation()
                    .timeline()
                    .find(evidence.counter(), evidence.end())
                    .ifPresent(cited::add);
        }
        return List.copyOf(cited);
    }

    private static List<Evidence> evidence(Trial trial) {
        List<Evidence> evidence = new ArrayList<>();
        if (trial.diagnosis().headline() != null) {
            evidence.addAll(trial.diagnosis().headline().evidence());
        }
        for (Judgement.Binds also : trial.diagnosis().also()) {
            evidence.addAll(also.evidence());
        }
        return evidence;
    }
}
