package wallfinder.record;

import java.util.List;
import java.util.stream.Stream;
import wallfinder.diagnosis.Diagnosis;
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

    /// The series of the headline, followed by those of the other walls that bind.
    public static List<Series> of(Trial trial) {
        Diagnosis diagnosis = trial.diagnosis();
        return Stream.concat(Stream.ofNullable(diagnosis.headline()), diagnosis.also().stream())
                .flatMap(binds -> binds.evidence().stream())
                .flatMap(cited ->
                        trial.observation().timeline().find(cited.counter(), cited.end()).stream())
                .distinct()
                .toList();
    }
}
