package wallfinder.record;

import java.util.List;
import wallfinder.diagnosis.Remedy;

/// A run in which the service did not start with the only remedy.
public final class SampleUnmeasured {
    private SampleUnmeasured() {}

    public static RunRecord run() {
        Remedy remedy = SampleRun.first(1).without().getFirst().remedy();
        RunRecord.Rung rung =
                new RunRecord.Rung(
                        1,
                        null,
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        null,
                        null,
                        List.of(
                                new RunRecord.Unmeasured(
                                        remedy, "the service did not start with it: it ended")));
        return SampleRun.run(
                SampleRun.interrupted().trials(), List.of(rung), "no remedy was proven");
    }
}
